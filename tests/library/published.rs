//! Checks that `results/published.csv` and the library contain the same published numbers.

use nqueens::{Board, published};

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
