//! A solution of any board at once, without a search.

/// Returns one solution of the board with `size` rows: the column of the queen of each row, from row 0 on. Returns
/// `None` for 0, 2 and 3 rows, which have none. Time and memory grow with `size`, which may be beyond
/// [`Board::MAX_SIZE`](crate::Board::MAX_SIZE).
///
/// The queens stand a knight's move apart, in the odd columns and then in the even ones (counted from 0). If N mod 6 is
/// 2 or 3, the two runs would attack each other, and a few queens change places. That every board from 4 rows on has a
/// solution was first shown by such constructions by E. Pauls, *Das Maximalproblem der Damen auf dem Schachbrette*,
/// Deutsche Schachzeitung 29 (1874); J. Bell and B. Stevens, *A survey of known results and research areas for
/// n-queens*, Discrete Mathematics 309 (2009), review them.
///
/// ```
/// use nqueens::classic::{construct, is_solution};
///
/// assert_eq!(construct(8), Some(vec![1, 3, 5, 7, 2, 0, 6, 4]));
/// assert!(is_solution(&construct(100_000).unwrap()));
/// assert_eq!(construct(3), None);
/// ```
pub fn construct(size: usize) -> Option<Vec<usize>> {
    let has_solution = !matches!(size, 0 | 2 | 3);
    has_solution.then(|| (0..size).map(|row| column(size, row)).collect())
}

/// Returns the column of the queen in `row`, if `size` is 1 or at least 4.
fn column(size: usize, row: usize) -> usize {
    let odd = size / 2;
    let even = size - odd;
    if let Some(place) = row.checked_sub(odd) {
        2 * match size % 6 {
            // The even columns 0, 2, 4, 6, … become 2, 0, 6, 8, …, 4.
            2 if place < 2 => 1 - place,
            2 if place + 1 == even => 2,
            2 => place + 1,
            3 => (place + 2) % even,
            _ => place,
        }
    } else {
        let place = if size % 6 == 3 { (row + 1) % odd } else { row };
        2 * place + 1
    }
}

/// Returns true if queens in these columns, from row 0 on, are a solution of the board with as many rows: no two of
/// them share a column, a diagonal or an anti-diagonal. Time and memory grow with the number of rows.
///
/// [`Solution::new`](crate::Solution::new) says what is wrong, for boards of up to 32 rows.
///
/// ```
/// use nqueens::classic::is_solution;
///
/// assert!(is_solution(&[1, 3, 0, 2]));
/// assert!(!is_solution(&[0, 1, 2, 3]));
/// ```
pub fn is_solution(columns: &[usize]) -> bool {
    let size = columns.len();
    if size == 0 || columns.iter().any(|&column| column >= size) {
        return false;
    }
    let all_differ = |line: &dyn Fn(usize, usize) -> usize| {
        let mut seen = vec![false; 2 * size - 1];
        let mut lines = columns.iter().enumerate().map(|(row, &column)| line(row, column));
        lines.all(|line| !std::mem::replace(&mut seen[line], true))
    };
    all_differ(&|_, column| column)
        && all_differ(&|row, column| row + column)
        && all_differ(&|row, column| row + size - 1 - column)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Solution;
    use crate::fuzz::{at, fuzz, list};

    #[test]
    fn every_board_that_has_a_solution_gets_one() {
        for size in 0..=2000 {
            let constructed = construct(size);
            assert_eq!(constructed.is_none(), matches!(size, 0 | 2 | 3), "N = {size}");
            assert!(constructed.is_none_or(|columns| columns.len() == size && is_solution(&columns)), "N = {size}");
        }
        for size in 999_995..=1_000_000 {
            assert!(is_solution(&construct(size).unwrap()), "N = {size}");
        }
    }

    /// Compares the test in linear time with a test of every pair of queens.
    #[test]
    fn fuzz_the_test_agrees_with_that_of_all_pairs() {
        fuzz(500, |random| {
            let mut columns = list(random, 1..10, |random| at(random, 10));
            assert_eq!(is_solution(&columns), Solution::new(&columns).is_ok());
            // This list is nearly a solution.
            if let Some(mut near) = construct(columns.len()) {
                near.swap(at(random, columns.len()), at(random, columns.len()));
                assert_eq!(is_solution(&near), Solution::new(&near).is_ok());
                columns = near;
            }
            columns[0] = columns.len();
            assert!(!is_solution(&columns));
        });
    }
}
