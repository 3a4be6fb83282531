//! Checks that `results/published.csv` and the library contain the same published numbers, and compares trees, traces and
//! solutions with those published by others.

use nqueens::classic::{Method, Step, Trace};
use nqueens::{Board, Cancel, Engine, Job, Kernel, Solution, published, solutions};

#[test]
fn the_table_in_results_is_the_one_in_the_library() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/results/published.csv");
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_path(path).unwrap();
    assert_eq!(reader.headers().unwrap(), ["N", "total", "fundamental", "quarter_turn"].as_slice());
    let mut sizes = Vec::new();
    for row in reader.records().map(Result::unwrap) {
        let board: Board = row[0].parse().unwrap();
        let number = |field: usize| (!row[field].is_empty()).then(|| row[field].parse::<u128>().unwrap());
        assert_eq!(number(1), published::total(board), "N = {board}");
        assert_eq!(number(2), published::fundamental(board), "N = {board}");
        assert_eq!(number(3), published::quarter_turn(board), "N = {board}");
        sizes.push(board.size());
    }
    assert_eq!(sizes, (1..=29).collect::<Vec<_>>());
}

/// The first numbers are the sizes of the tree that P3D-DFS publishes (benchmarks/NQueens/README.md), without the empty
/// board. The second are the nodes that a counter on a microcontroller prints (jeelabs/embello, issue 55), without the
/// solutions. A count of an even board visits half of the tree.
#[test]
fn trees_are_as_large_as_those_of_others() {
    let sizes = [1, 2, 5, 16, 53, 152, 551, 2_056, 8_393, 35_538, 166_925, 856_188, 4_674_889];
    let inner = [(8, 1_965), (10, 34_815), (12, 841_989), (13, 4_601_178)];
    for (size, nodes) in (1..).zip(sizes) {
        let effort = Method::BitMasks.effort(Board::new(size).unwrap(), &Cancel::new()).unwrap();
        assert_eq!(effort.visited, nodes + 1, "N = {size}");
        if size % 2 == 0 {
            let job =
                Job::new(Board::new(size).unwrap()).engine(Engine::Backtrack).kernel(Kernel::Scalar).split_rows(1);
            assert_eq!(job.count_nodes().run().unwrap().nodes, Some(nodes / 2), "N = {size}");
        }
        if let Some((_, inner)) = inner.iter().find(|row| row.0 == size) {
            assert_eq!(effort.visited - effort.solutions, *inner, "N = {size}");
        }
    }
}

/// N. Wirth, *Algorithms + Data Structures = Programs* (1976), tabulates the tests before each of the first twelve solutions
/// for eight queens.
#[test]
fn a_trace_has_the_tests_that_wirth_counted() {
    let (mut tests, mut counted) = (0, Vec::new());
    for step in Trace::new(Board::new(8).unwrap()) {
        match step {
            Step::Place { .. } | Step::Conflict { .. } => tests += 1,
            Step::Solution { .. } => counted.push(std::mem::take(&mut tests)),
            _ => {}
        }
    }
    assert_eq!(counted[..12], [876, 264, 200, 136, 504, 400, 72, 280, 240, 264, 160, 336]);
}

/// Compares the first solutions of boards in a range of sizes with those of another program.
fn compare_first_solutions(sizes: std::ops::Range<usize>) {
    let lines = include_str!("../data/first.txt").lines().filter(|line| !line.starts_with('#'));
    let published: Vec<Vec<usize>> =
        lines.map(|line| line.split(' ').map(|column| column.parse().unwrap()).collect()).collect();
    assert!(published.iter().map(Vec::len).eq(11..32));
    for first in published.into_iter().filter(|first| sizes.contains(&first.len())) {
        let found = solutions(Board::new(first.len()).unwrap()).next().unwrap();
        assert_eq!(found, Solution::new(&first).unwrap(), "N = {}", first.len());
    }
}

#[test]
fn first_solutions_are_those_of_another_program() {
    compare_first_solutions(11..26);
}

#[test]
#[ignore = "slow"]
fn first_solutions_of_large_boards_are_those_of_another_program() {
    compare_first_solutions(26..32);
}
