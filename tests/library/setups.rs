//! Boards with given queens and blocked squares, and counts by square. They are compared with a
//! search that shares nothing with the library, with listed solutions and with published numbers.
use nqueens::engine::Settings;
use nqueens::random::SplitMix64;
use nqueens::symmetry::Symmetry;
use nqueens::{Board, Cancel, Engine, Job, Kernel, Setup, Verdict, solutions};

fn board(size: usize) -> Board {
    Board::new(size).unwrap()
}

/// Counts the solutions on the squares of a text, row by row, by checking each queen against all earlier ones.
fn searched(text: &str) -> u128 {
    fn search(rows: &[&[u8]], queens: &mut Vec<(usize, usize)>) -> u128 {
        let Some((squares, below)) = rows.split_first() else { return 1 };
        let row = queens.len();
        let given = squares.contains(&b'Q');
        let mut found = 0;
        for column in 0..squares.len() {
            let square = squares[column];
            let peaceful = |&(other, at): &(usize, usize)| at != column && at.abs_diff(column) != row - other;
            if (square == b'Q' || square == b'.' && !given) && queens.iter().all(peaceful) {
                queens.push((row, column));
                found += search(below, queens);
                queens.pop();
            }
        }
        found
    }
    search(&text.lines().map(str::as_bytes).collect::<Vec<_>>(), &mut Vec::new())
}

/// Returns a board with some queens that do not attack each other and some blocked squares. Every third board is its
/// own mirror image.
fn random_setup(random: &mut SplitMix64, size: usize) -> Setup {
    let mut setup = Setup::new(board(size));
    let below = |random: &mut SplitMix64| random.below(size as u32) as usize;
    let is_mirrored = random.below(3) == 0;
    for _ in 0..random.below(2 * size as u32) {
        let (row, column) = (below(random), below(random));
        setup = setup.with_blocked(row, column).unwrap();
        if is_mirrored {
            setup = setup.with_blocked(row, size - 1 - column).unwrap();
        }
    }
    for _ in 0..random.below(4) {
        let column = if is_mirrored { size / 2 } else { below(random) };
        if !is_mirrored || size % 2 == 1 {
            setup = setup.with_queen(below(random), column).unwrap_or(setup);
        }
    }
    setup
}

/// Asserts that a text is this setup, also below its size and below what `nqueens solve` writes.
fn is_read_below_anything(size: usize, text: &str, setup: Setup) {
    for above in ["", "\n \n", "Solution 3 (orbit of 8)\n", &format!("{size}\n\n"), &format!("Solution 1\n{size}\n")] {
        assert_eq!(format!("{above}{text}\n\n").parse(), Ok(setup), "{above}{text}");
    }
}

/// A board is read correctly, in whichever form it is written.
#[test]
fn fuzz_boards_are_read_as_they_were_written() {
    let mut random = SplitMix64::new(67);
    let with =
        |text: String, marks: &[(&str, &str)]| marks.iter().fold(text, |text, (mark, other)| text.replace(mark, other));
    for case in 0..300 {
        let size = 1 + case % 12;
        let setup = random_setup(&mut random, size);
        for marks in [
            &[][..],
            &[("Q", "\u{265b}"), ("*", "#")],
            &[("Q", "1"), (".", "0")],
            &[(".", "_ "), ("*", " *")],
            &[(".", "-"), ("\n", "\n\n")],
            &[("Q", " \u{2655}\u{fe0e}"), ("\n", "\r\n")],
        ] {
            let board = with(setup.to_string(), marks);
            let quoted = |square: char| format!("'{square}'");
            let is_square = |c: &char| !c.is_whitespace() && *c != '\u{fe0e}';
            let row = |line: &str| line.chars().filter(is_square).map(quoted).collect::<String>();
            let rows: Vec<String> = board.lines().filter(|line| !line.is_empty()).map(row).collect();
            let lists = [
                format!("[\"{}\"]", board.replace('\n', "\",\"")),
                format!("['{}']", board.replace('\n', "', '")),
                format!("[[{}]]", rows.join("],\n [").replace("''", "','")),
                format!("[\n  [\n    {}\n  ]\n]\n", rows.join("\n  ],\n  [\n").replace("''", "',\n    '")),
            ];
            for text in lists.into_iter().chain([board.clone(), rows.join("\n").replace("''", "")]) {
                is_read_below_anything(size, &text, setup);
            }
            if size > 1 {
                let error = format!("{board}\n\n{board}").parse::<Setup>().unwrap_err();
                assert_eq!(error.to_string(), "there are 2 boards; give one", "{board}");
            }
        }
        let solutions: Vec<_> = solutions(board(size)).take(4).collect();
        for solution in &solutions {
            let queens = solution.columns().enumerate();
            let whole =
                queens.fold(Setup::new(board(size)), |setup, (row, column)| setup.with_queen(row, column).unwrap());
            let columns: Vec<usize> = solution.columns().collect();
            let from_1: Vec<usize> = solution.columns().map(|column| column + 1).collect();
            let mut texts = vec![format!("{from_1:?}")];
            if size > 1 {
                texts.extend([format!("{columns:?}"), format!("{columns:?} orbit of 8"), format!("[{columns:#?}]")]);
                texts.extend([&columns, &from_1].map(|list| format!("{list:?}").replace([',', '[', ']'], "")));
            }
            let digits = [(2..11, &columns), (2..10, &from_1)].into_iter().filter(|(sizes, _)| sizes.contains(&size));
            texts.extend(digits.map(|(_, list)| list.iter().map(usize::to_string).collect()));
            for text in texts {
                is_read_below_anything(size, &text, whole);
            }
        }
        if solutions.len() > 1 {
            let lists: Vec<String> = solutions.iter().map(ToString::to_string).collect();
            let error = lists.join("\n").parse::<Setup>().unwrap_err();
            assert_eq!(error.to_string(), format!("there are {} boards; give one", lists.len()));
        }
    }
}

#[test]
fn fuzz_setups() {
    let mut random = SplitMix64::new(1);
    for case in 0..600 {
        let setup = random_setup(&mut random, 1 + case % 9);
        let text = setup.to_string();
        assert_eq!(text.parse(), Ok(setup));
        let expected = searched(&text);
        for kernel in Engine::Backtrack.kernels() {
            for split_rows in [None, Some(1 + case % 3)] {
                let settings = Settings { split_rows, ..*Job::new(setup).all_settings() };
                let count = Job::new(setup).settings(settings).kernel(kernel).threads(1).run().unwrap();
                assert_eq!(count.total, expected, "{kernel}, {split_rows:?} rows:\n{text}");
            }
        }
        for symmetry in Symmetry::ALL {
            assert_eq!(
                Job::new(setup.image(symmetry)).threads(1).run().unwrap().total,
                expected,
                "{symmetry:?}:\n{text}"
            );
        }
    }
}

/// Larger boards fill the stacks of the vectors. The counts with a queen on a square and with that square blocked add
/// up to the whole.
#[test]
fn a_blocked_square_and_a_given_queen_there_are_the_whole() {
    let mut random = SplitMix64::new(2);
    for size in [10, 11, 12, 13, 14] {
        let setup = random_setup(&mut random, size);
        let all = |setup: Setup| Job::new(setup).run().unwrap().total;
        let (row, column) = (random.below(size as u32) as usize, random.below(size as u32) as usize);
        let (Ok(with), Ok(without)) = (setup.with_queen(row, column), setup.with_blocked(row, column)) else {
            continue;
        };
        assert_eq!(all(with) + all(without), all(setup), "{row}, {column}:\n{setup}");
        for kernel in Engine::Backtrack.kernels() {
            assert_eq!(Job::new(with).kernel(kernel).run().unwrap().total, all(with), "{kernel}:\n{with}");
        }
    }
}

/// Without the size above it, a line of 0 and 1 is a row.
#[test]
fn a_line_of_0_and_1_is_a_row() {
    assert_eq!("10\n00".parse(), Setup::new(board(2)).with_queen(0, 0));
    assert_eq!("0".parse(), Ok(Setup::new(board(1))));
    assert_eq!("1".parse(), Setup::new(board(1)).with_queen(0, 0));
}

#[test]
fn a_free_setup_is_the_board() {
    let count = Job::new(Setup::new(board(8))).run().unwrap();
    assert_eq!((count.total, count.setup, count.verdict()), (92, None, Verdict::Matches));
    let setup = Setup::new(board(8)).with_queen(0, 3).unwrap();
    let count = Job::new(setup).run().unwrap();
    assert_eq!((count.total, count.setup, count.verdict()), (18, Some(setup), Verdict::NotPublished));
    let checked = count.double_check(1, &Cancel::new(), &()).unwrap();
    assert!(checked[0].kernel != count.kernel, "{checked:?}");
}

/// The boards have two open squares in each row and one solution kept, or one open square; in the last, a few queens
/// and columns decide.
#[test]
fn large_boards_with_few_open_squares_are_counted_at_once() {
    let mut random = SplitMix64::new(29);
    for size in 29..=32 {
        let whole: Vec<usize> = nqueens::classic::construct(size).unwrap();
        for open in 1..=3 {
            let mut setup = Setup::new(board(size));
            for (row, &queen) in whole.iter().enumerate() {
                let kept: Vec<usize> = (1..open).map(|_| random.below(size as u32) as usize).chain([queen]).collect();
                for column in (0..size).filter(|column| !kept.contains(column)) {
                    setup = setup.with_blocked(row, column).unwrap();
                }
            }
            let count = Job::new(setup).run().unwrap();
            assert!(count.total >= 1 && count.total == setup.solutions().count() as u128, "{setup}");
            assert!(open > 1 || count.total == 1);
            let squares = Job::new(setup).by_square(&Cancel::new(), &()).unwrap();
            assert_eq!(squares[0].iter().sum::<u128>(), count.total, "{setup}");
        }
    }
}

/// Nothing is searched if a row or a column has no square left.
#[test]
fn a_board_that_cannot_be_filled_has_no_solution_at_once() {
    let blocked = |squares: &mut dyn Iterator<Item = (usize, usize)>| {
        squares.fold(Setup::new(board(32)), |setup, (row, column)| setup.with_blocked(row, column).unwrap())
    };
    for setup in [blocked(&mut (0..32).map(|column| (31, column))), blocked(&mut (0..32).map(|row| (row, 5)))] {
        assert_eq!(Job::new(setup).engine(Engine::Backtrack).run().unwrap().total, 0);
        assert_eq!(setup.solutions().next(), None);
    }
    let queen = Setup::new(board(32)).with_queen(0, 0).unwrap();
    assert!(Job::new(queen).run().unwrap_err().to_string().contains("takes years"));
}

#[test]
fn text_that_is_no_board_is_refused_with_its_place() {
    for (text, said) in [
        ("", "there is no board; "),
        ("..\n.", "row 1 ends after column 0, but there are 2 rows; give as many rows as columns"),
        ("....", "row 0 ends after column 3, but there is 1 row; "),
        ("..\n..\n\n..\n..", "there are 2 boards; give one"),
        ("...\n...", "row 0 ends after column 2, but there are 2 rows; "),
        ("..\n.x", "row 1, column 1 is 'x'; give . (free), Q (a queen) or * (blocked)"),
        (". 0 .\n. 1 .\n. 2 .", "row 2, column 1 is '2'; "),
        ("1 3 0 4", "row 3, column 4 is not on the board; rows and columns are numbered from 0 to 3"),
        ("15863722", "the queens on row 3, column 5 and row 7, column 1 attack"),
        ("2 5 1 3", "row 1 of the list has column 5; without a 0, columns are numbered from 1 to 4"),
        // A blank is not taken for a free square, nor left out if it could be one.
        (" Q  \n   Q\nQ   \n  Q ", "row 0, column 0 is ' '; "),
        (",Q,,\n,,,Q\nQ,,,\n,,Q,", "row 0, column 0 is ','; "),
        ("Q   \n    \n    \n    ", "row 0, column 1 is ' '; "),
        ("*Q  \nQ*  \n    \n    ", "row 2, column 0 is ' '; "),
        ("....\n....\n....\n....\n....\n....\n....\n....", "there are 2 boards; give one"),
        ("..\n..\n\n...\n...\n...", "row 0 ends after column 1, but there are 5 rows; "),
        ("1\n.\n\n2\n..\n..", "row 2, column 0 is '2'; "),
        ("[1, 3, 0, 1]", "the queens on row 0, column 1 and row 3, column 1 attack each other"),
        ("[1, 3, 0, 2] x", "row 0, column 1 is '3'; "),
        ("[[0, 1], [0]]", "row 1 ends after column 0, but there are 2 rows; "),
        ("[['.', 'Q'], ['x', '.']]", "row 1, column 0 is 'x'; "),
        ("[['.Q..', '...Q', 'Q...', '..Q.'], ['..Q.', 'Q...', '...Q', '.Q..']]", "there are 2 boards; "),
        ("24681013579", "row 0"),
        ("Q.\nQ.", "the queens on row 0, column 0 and row 1, column 0 attack each other along the same column"),
        (&[".".repeat(33).as_str(); 33].join("\n"), "'33' is no board size; give a whole number from 1 to 32"),
    ] {
        let error = text.parse::<Setup>().unwrap_err().to_string();
        assert!(error.starts_with(said), "{text}: {error}");
    }
    assert_eq!("\r\n. Q #\r\n. . .\r\n\t. . .\r\n\r\n".parse(), ".Q*\n...\n...".parse::<Setup>());
    for list in ["4\n2 4 1 3", "4\n[1, 3, 0, 2]"] {
        assert_eq!(list.parse(), "1 3 0 2".parse::<Setup>(), "the size is above the list");
    }
    let setup = Setup::new(board(4)).with_blocked(1, 1).unwrap();
    let given = setup.with_queen(0, 0).unwrap();
    for (refused, said) in [
        (setup.with_queen(1, 1), "row 1, column 1 is blocked, but a queen is given there; "),
        (setup.with_queen(1, 4), "row 1, column 4 is not on the board; "),
        (given.with_queen(0, 0), "the queen on row 0, column 0 is given twice; "),
        (given.with_blocked(0, 0), "row 0, column 0 is blocked, but a queen is given there; "),
    ] {
        assert!(refused.unwrap_err().to_string().starts_with(said), "{said}");
    }
}

/// The blocked squares of a board of the XCSP competition 2022, 28-1449787894 (problem 080 of `CSPLib`). Each row has a
/// number, whose bit of weight 1 is column 0. A SAT solver lists its ten solutions.
const XCSP: [u32; 28] = [
    0xfd7_fdcf, 0x6fb_6bef, 0xebf_a7d7, 0x9df_5d57, 0xff4_fa8f, 0xeff_f73e, 0xe5f_e937, 0x7bf_dbaf, 0xdaf_97d3,
    0xff9_dfef, 0xdd3_92ff, 0xcbf_fb77, 0x7e9_fffd, 0x7f7_ffbb, 0xdbf_f7e7, 0xd6c_cff6, 0x0fd_fdbc, 0xfff_fbef,
    0x6fb_c9be, 0xbff_fb2f, 0xd73_a74f, 0xfff_bccb, 0xf1f_fefc, 0xf9f_fed2, 0xfee_7e7d, 0xccb_fefd, 0xfdf_f1dd,
    0x0ef_cffc,
];

#[test]
fn a_blocked_board_of_a_competition_has_the_solutions_that_a_sat_solver_finds() {
    let row = |blocked: u32| (0..28).map(move |column| if blocked >> column & 1 == 1 { '#' } else { '.' });
    let text: Vec<String> = XCSP.into_iter().map(|blocked| row(blocked).collect()).collect();
    assert_eq!(Job::new(text.join("\n").parse::<Setup>().unwrap()).run().unwrap().total, 10);
}

/// The board comes from problem 1624 of CSES ("Chessboard and Queens").
#[test]
fn published_counts_come_out() {
    let text = "........\n........\n..*.....\n........\n........\n.....**.\n...*....\n........";
    assert_eq!(Job::new(text.parse::<Setup>().unwrap()).run().unwrap().total, 65);
    // OEIS A059963 has the first half of each row, with the middle of odd boards.
    let columns: [&[u128]; 5] = [
        &[4, 8, 16, 18],
        &[28, 30, 47, 44, 54],
        &[64, 48, 65, 93, 92],
        &[96, 219, 209, 295, 346, 350],
        &[500, 806, 1165, 1359, 1631, 1639],
    ];
    for (size, half) in (8..).zip(columns) {
        // With this kernel the other engine would count the largest of these boards as a whole.
        let job = Job::new(board(size)).kernel(Kernel::Portable);
        let counts = job.by_square(&Cancel::new(), &()).unwrap().swap_remove(0);
        assert!(counts.starts_with(half), "N = {size}: {counts:?}");
        assert!(counts.iter().eq(counts.iter().rev()));
    }
}

/// The counts are compared with the solutions listed one by one.
#[test]
fn solutions_are_counted_by_square() {
    for size in 1..=9 {
        let mut squares = vec![vec![0; size]; size];
        for solution in solutions(board(size)) {
            solution.columns().enumerate().for_each(|(row, column)| squares[row][column] += 1);
        }
        let job = Job::new(board(size));
        assert_eq!(job.by_square(&Cancel::new(), &()).unwrap(), squares, "N = {size}");
    }
    let mut random = SplitMix64::new(3);
    for size in [5, 6, 7, 8] {
        let setup = random_setup(&mut random, size);
        let open = |row, column| setup.with_queen(row, column).map_or(0, |setup| searched(&setup.to_string()));
        let counts = Job::new(setup).by_square(&Cancel::new(), &()).unwrap();
        for (row, counts) in counts.iter().enumerate() {
            for (column, &count) in counts.iter().enumerate() {
                let is_given = setup.queens().any(|queen| queen == (row, column));
                let expected = if is_given { searched(&setup.to_string()) } else { open(row, column) };
                assert_eq!(count, expected, "{row}, {column}:\n{setup}");
            }
        }
    }
}
