//! The steps of `examples/two_color/` against the published counts, each other and the two-color engine.

#[path = "../../examples/two_color/main.rs"]
#[expect(dead_code, reason = "the test harness has a main function of its own")]
mod two_color;

use crate::fuzz::{at, fuzz};
use nqueens::{Board, published};
use two_color::halves::{self, BuildSide, Choice, Join, ProbeSide, Sets};
use two_color::plain::{self, Colour};
use two_color::{STEPS, bits, rows, table};

#[test]
fn each_step_counts_what_is_published() {
    for size in 1..=12 {
        let total = published::total(Board::new(size).unwrap());
        for &(name, count) in STEPS {
            assert_eq!(Some(count(size).into()), total, "N = {size}, {name}");
        }
    }
}

/// Returns the even and the odd lines among those for which `is_in` is true, as the later steps write them.
fn halves_of(is_in: &[bool]) -> [u32; 2] {
    [0, 1].map(|parity| {
        is_in.iter().skip(parity).step_by(2).enumerate().map(|(line, &is_in)| u32::from(is_in) << line).sum()
    })
}

/// For random sets R of rows, each C has the product w · b that the plain method finds.
#[test]
fn fuzz_rows_and_columns_have_one_product() {
    fuzz(30, |random| {
        let size = 4 + at(random, 8);
        let is_white: Vec<bool> = (0..size).map(|_| at(random, 2) == 1).collect();
        let (white_rows, black_rows): (Vec<_>, Vec<_>) = (0..size).partition(|&row| is_white[row]);
        let white = plain::placements(size, Colour::White, &white_rows);
        let black = plain::placements(size, Colour::Black, &black_rows);
        let [re, ro] = halves_of(&is_white);
        for (columns, white) in white {
            let others: Vec<bool> = columns.iter().map(|is_taken| !is_taken).collect();
            let product = white * black.get(&others).copied().unwrap_or(0);
            let [ce, co] = halves_of(&columns);
            let one = |parity, set| Sets::new(halves::lines(size, parity), vec![set]);
            let choice = Choice { size, re, ro: one(1, ro), ce: one(0, ce), co: one(1, co) };
            for join in [halves::join, bits::join] as [Join; 2] {
                assert_eq!(choice.solutions(join, |_, _, _| 1), product, "N = {size}: {white_rows:?} {columns:?}");
            }
        }
    });
}

#[test]
fn a_column_set_may_have_more_placements_than_a_word_has_bits() {
    let repeated = |build: &BuildSide, probe: &ProbeSide| {
        let placements = build.placements.repeat(40);
        bits::join(&BuildSide { placements, column_sets: build.column_sets }, probe)
    };
    assert_eq!(halves::count_with(8, repeated), 40 * 40 * 92);
}

#[test]
fn the_table_has_the_last_boards_and_bad_numbers_are_refused() {
    let arguments = |words: &[&str]| rows(words.iter().map(ToString::to_string).collect::<Vec<_>>().into_iter());
    assert_eq!((arguments(&[]), arguments(&["18"])), (Ok(16), Ok(18)));
    for (words, message) in [
        (&["0"][..], "\"0\" is not a number of rows from 1 to 18"),
        (&["19"], "\"19\" is not a number of rows from 1 to 18"),
        (&["8", "9"], "only one number of rows is possible, not \"9\" too"),
    ] {
        assert_eq!(arguments(words), Err(message.to_owned()));
    }
    let mut output = Vec::new();
    table(2, &mut output).unwrap();
    let output = String::from_utf8(output).unwrap();
    let numbers: Vec<Vec<&str>> = output.lines().map(|line| line.split_whitespace().take(2).collect()).collect();
    assert_eq!(numbers, [["N", "solutions"], ["1", "1"], ["2", "0"]]);
    assert!(
        output.lines().all(|line| line.chars().count() == output.lines().next().unwrap().chars().count()),
        "{output}"
    );
}
