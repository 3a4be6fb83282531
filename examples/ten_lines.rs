//! The search with bit masks.

fn solutions(board: u32, columns: u32, left: u32, right: u32) -> u64 {
    let (mut found, mut free) = (u64::from(columns == board), board & !(columns | left | right));
    while free != 0 {
        let queen = free & free.wrapping_neg();
        free ^= queen;
        found += solutions(board, columns | queen, (left | queen) << 1, (right | queen) >> 1);
    }
    found
}

fn main() {
    println!("{}", solutions(0b1111_1111, 0, 0, 0));
}
