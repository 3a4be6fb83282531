//! Tables that the kernels for the instruction sets of x86-64 share.

/// For each set of eight lanes, those in it one after another.
pub(super) static PACKED: [[u8; 8]; 256] = permutations(false);
/// For each set of eight lanes, how many lanes of it come before each.
pub(super) static SPREAD: [[u8; 8]; 256] = permutations(true);

const fn permutations(spread: bool) -> [[u8; 8]; 256] {
    let mut table = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut before) = (0, 0);
        while lane < 8 {
            if mask >> lane & 1 == 1 {
                if spread {
                    table[mask][lane] = before as u8;
                } else {
                    table[mask][before] = lane as u8;
                }
                before += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
}
