//! The plans of earlier versions: enough of them to recognise their ledgers and to add up what those have.

use super::squares::Geometry;
use super::tuples::Part;
use crate::board::Board;
use crate::engine::Plan;

/// By board, from N = 1 on: the number of units of the plan `row-sets`, which version 0.1.0 made, and their mark.
const ROW_SETS: [(usize, u64); 28] = [
    (1, 0xB387_C513_DB5B_01CF),
    (0, 0x0000_0000_0000_0001),
    (1, 0xB387_C513_DB5B_01CF),
    (1, 0x8D20_B326_BD27_5CB3),
    (4, 0x2871_21B7_5CAA_3972),
    (3, 0xEC72_0FFA_1CCF_8306),
    (6, 0x3D11_1FD9_A6A8_98D6),
    (9, 0x9222_DD4E_9B8E_F81F),
    (21, 0xFCF1_6FD3_5848_7BBA),
    (25, 0xFFAE_041A_A90E_911B),
    (72, 0x1669_F4C9_73EB_2532),
    (71, 0x0BED_B1FE_36A4_6505),
    (168, 0xF3B0_D3D3_D17C_4454),
    (101, 0x8248_DD8C_76F7_7516),
    (237, 0x72B1_08DE_10C0_FEC6),
    (129, 0x1833_2AAB_1C23_10A4),
    (252, 0xE168_3645_D8DD_BD92),
    (141, 0xE279_A380_21CE_BEEF),
    (312, 0x2BC5_5834_EFD1_926A),
    (159, 0x4CF9_0D50_CCD2_A4D7),
    (351, 0xFD80_7EFB_354F_A61A),
    (582, 0xE312_E62F_9FDA_76F9),
    (1_307, 0x8F60_AFF0_AB4B_CB73),
    (3_783, 0x6943_5439_A817_E426),
    (10_279, 0x7DD9_B595_0523_0AF1),
    (31_012, 0xB3B4_49F5_64A5_043D),
    (96_343, 0x917D_D2F2_12C3_9192),
    (221_023, 0x9CB8_0882_298F_12B1),
];

/// Returns the plan of an earlier version. All its units have the same weight.
pub(super) fn plan(engine: &'static str, board: Board, name: &str) -> Option<Plan> {
    let &(units, mark) = ROW_SETS.get(board.size() - 1).filter(|_| name == "row-sets")?;
    let divisor = Part::divisor(Geometry::new(board));
    Some(Plan::new(engine, board, name.to_owned(), vec![1; units], divisor).with_mark(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As in ledgers that version 0.1.0 wrote.
    #[test]
    fn earlier_plans_have_their_fingerprints() {
        let fingerprint = |size| plan("two-color", Board::new(size).unwrap(), "row-sets").unwrap().fingerprint();
        assert_eq!([8, 16, 22].map(fingerprint), [0x6C2F_FD45_DE54_BABA, 0xBA80_6C45_028B_8FBE, 0x5CBF_68DA_FBE9_ABBE]);
        assert_eq!([26, 28].map(fingerprint), [0x56C1_E902_9720_6C5C, 0xE944_6A00_90E4_00DE]);
        let plan_of = |size, name| plan("two-color", Board::new(size).unwrap(), name);
        assert_eq!(plan_of(29, "row-sets"), None);
        assert_eq!(plan_of(16, "row-sets-2"), None);
    }
}
