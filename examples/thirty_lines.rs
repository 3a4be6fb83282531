//! The count by products of two colors.

use std::collections::HashMap;

/// The placements on the squares of one colour, by the rows and the columns that they fill: bit i is line i.
type Tally = HashMap<(u32, u32), u64>;

fn place(n: usize, colour: usize, queens: &mut Vec<(usize, usize)>, row: usize, found: &mut Tally) {
    if row == n {
        let lines = queens.iter().fold((0, 0), |(rows, columns), (i, j)| (rows | 1 << i, columns | 1 << j));
        *found.entry(lines).or_default() += 1;
        return;
    }
    place(n, colour, queens, row + 1, found); // this row gets a queen of the other colour
    for column in ((row + colour) % 2..n).step_by(2) {
        if queens.iter().all(|&(i, j)| column != j && row - i != column.abs_diff(j)) {
            queens.push((row, column));
            place(n, colour, queens, row + 1, found);
            queens.pop();
        }
    }
}

fn solutions(n: usize) -> u64 {
    let [mut white, mut black] = [Tally::new(), Tally::new()];
    place(n, 0, &mut Vec::new(), 0, &mut white);
    place(n, 1, &mut Vec::new(), 0, &mut black);
    let other = |lines: u32| (1 << n) - 1 - lines;
    white.iter().map(|(&(rows, columns), w)| w * black.get(&(other(rows), other(columns))).unwrap_or(&0)).sum()
}

fn main() {
    println!("{}", solutions(8));
}
