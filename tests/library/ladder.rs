//! The steps of `examples/two_color/` against the published counts, each other and the two-color engine.

#[path = "../../examples/two_color/main.rs"]
#[expect(dead_code, reason = "the test harness has a main function of its own")]
mod two_color;

use nqueens::{Board, published};
use two_color::halves::{self, BuildSide, ProbeSide};
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

#[test]
fn a_column_set_may_have_more_placements_than_a_word_has_bits() {
    let repeated = |build: &BuildSide, probe: &ProbeSide| {
        let placements = build.placements.repeat(40);
        bits::join(&BuildSide { placements, column_sets: build.column_sets }, probe)
    };
    assert_eq!(halves::count_with(8, repeated), 40 * 40 * 92);
}

#[test]
fn a_side_without_sets_has_no_pairs() {
    let without = |build: &BuildSide, probe: &ProbeSide| {
        assert!(bits::join(&BuildSide { placements: Vec::new(), column_sets: 0 }, probe).is_empty());
        halves::join(build, probe)
    };
    assert_eq!(halves::count_with(8, without), 92);
}

#[test]
fn the_table_has_the_last_boards_and_bad_numbers_are_refused() {
    let number = |word: &str| rows(Some(word.to_owned()));
    assert_eq!((rows(None), number("18")), (Ok(16), Ok(18)));
    for word in ["0", "19", "x"] {
        assert_eq!(number(word), Err(format!("\"{word}\" is not a number of rows from 1 to 18")));
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
