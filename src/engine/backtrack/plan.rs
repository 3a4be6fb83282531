//! The cut of the tree into units: placements of the first rows, one of each mirror pair.

use crate::board::Board;
use crate::cancel::{Cancel, Cancelled};
use crate::engine::{Engine, Plan, PrepareError, SPLIT_ROWS, Settings};
use crate::random::SplitMix64;
use crate::setup::Setup;
use crate::symmetry::Symmetry;
use crate::tree::{Node, nodes_below};

/// The largest number of random probes for a unit.
const MOST_PROBES: usize = 256;

/// The number of probes that weigh as much as the mean of the units with as many rows left. One probe is off by a
/// factor of about two; the units themselves differ by a tenth to a third from their mean.
const PROBES_WORTH_OF_THE_MEAN: f64 = 16.0;

/// For each row, the columns in which its queen may stand.
pub(crate) type OpenColumns = [u32; Board::MAX_SIZE];

/// The columns of a board without given queens and blocked squares.
pub(crate) const ALL_OPEN: OpenColumns = [u32::MAX; Board::MAX_SIZE];

/// The first words of plan names: the units are one of each mirror pair, or all placements.
const MIRROR: &str = "mirror-";
const WHOLE: &str = "whole-";

/// Returns the settings that lead to the plan of this name; `None` if there is no such plan.
pub(in crate::engine) fn settings_of_plan(name: &str) -> Option<Settings> {
    let rest = name.strip_prefix(MIRROR).or_else(|| name.strip_prefix(WHOLE))?;
    let (rows, setup) = match rest.split_once(':') {
        None => (rest, None),
        Some((rows, setup)) => {
            (rows, Some(setup.replace('/', "\n").parse().ok().filter(|setup: &Setup| !setup.is_free())?))
        }
    };
    let split_rows = rows.parse().ok().filter(|rows| SPLIT_ROWS.contains(rows))?;
    Some(Settings { split_rows: Some(split_rows), setup, ..Settings::default() })
}

/// The units that a count is cut into.
#[derive(Debug)]
pub(super) struct Cut {
    pub(super) board: Board,
    pub(super) units: Vec<Node>,
    /// The symmetry weight of every unit.
    pub(super) weight: u8,
    /// For each row, the columns in which its queen may stand; `None` if all columns are open.
    pub(super) open: Option<OpenColumns>,
    /// The nodes expected in all units.
    pub(super) nodes: f64,
}

impl Cut {
    /// Cuts the count of a board at the rows that the settings ask for, or else at the rows that suit the board.
    ///
    /// # Errors
    /// When no plan is split at so many rows, or `cancel` is set.
    pub(super) fn new(board: Board, settings: &Settings, cancel: &Cancel) -> Result<(Plan, Self), PrepareError> {
        let setup = settings.setup;
        let given_rows = setup.map_or(0, |setup| setup.queens().count());
        let rows = settings.split_rows.unwrap_or_else(|| rows_for(board.size() - given_rows));
        if !SPLIT_ROWS.contains(&rows) {
            return Err(PrepareError::SplitRows { given: rows });
        }
        let open = setup.as_ref().map(Setup::open);
        let is_mirrored = setup.is_none_or(|setup| setup.image(Symmetry::MirrorColumns).open() == setup.open());
        let everywhere = open.unwrap_or(ALL_OPEN);
        let units = units(board, &everywhere, is_mirrored, rows);
        let nodes = expected_nodes(board, &everywhere, &units, cancel)?;
        let kind = if is_mirrored { MIRROR } else { WHOLE };
        let name =
            format!("{kind}{rows}{}", setup.map_or(String::new(), |setup| format!(":{setup}").replace('\n', "/")));
        let plan = Plan::new(Engine::Backtrack, board, name, work(&nodes), 1);
        // A unit stands for itself and its mirror image; the one-square board is its own mirror image.
        let weight = if board.size() == 1 || !is_mirrored { 1 } else { 2 };
        let numbers = |unit: &Node| [unit.columns, unit.falling, unit.rising, weight.into()].map(u64::from);
        let mut plan = plan.with_units(units.iter().flat_map(numbers), vec![weight; units.len()]);
        plan.setup = setup;
        Ok((plan, Self { board, units, weight, open, nodes: nodes.iter().sum() }))
    }
}

/// Returns the number of rows that a board is split at, by the number of its rows without a given queen. The number of
/// threads plays no part, so that every machine makes the same plan.
///
/// With AVX-512 a unit takes 3.5 µs besides its nodes, because its stacks are filled and emptied. This is more than the
/// nodes of a small unit take, and less than a hundredth of what those of N = 16 take. From N = 18 on a unit of two
/// rows would take the scalar kernel more than two seconds, and the progress bar would stand still.
fn rows_for(size: usize) -> usize {
    match size {
        ..=11 => 1,
        12..=17 => 2,
        _ => 3,
    }
}

/// Returns one unit for each placement of the first rows whose first queen stands in the left half of the board. Its
/// mirror image has the queen in the right half, so that the unit counts twice. Queens stand in the `open` columns of
/// their rows; if these are not their own mirror image, the first queen may stand anywhere. Rows are filled until
/// `rows` of them had a choice.
///
/// The middle column of an odd board is its own mirror image: there the second queen decides, and the unit is at least
/// two rows deep. The one-square board has no second row; its only placement counts once.
pub(crate) fn units(board: Board, open: &OpenColumns, is_mirrored: bool, rows: usize) -> Vec<Node> {
    let size = board.size();
    let filled = |node: &Node| size - node.rows_left() as usize;
    let children = |node: Node| node.children_on(open[filled(&node)]);
    let mut units = Vec::new();
    for (column, node) in children(Node::root(board)) {
        if column < size / 2 || size == 1 || !is_mirrored {
            units.push(node);
        } else if size % 2 == 1 && column == size / 2 {
            units.extend(children(node).filter(|&(second, _)| second < size / 2).map(|(_, node)| node));
        }
    }
    let with_choice = (0..size).filter(|&row| open[row].count_ones() > 1);
    let depth = with_choice.skip(rows - 1).map(|row| row + 1).next().unwrap_or(size);
    for _ in 1..depth {
        let split = |node: Node| {
            if filled(&node) >= depth { vec![node] } else { children(node).map(|(_, child)| child).collect() }
        };
        units = units.into_iter().flat_map(split).collect();
    }
    units
}

/// Returns the work of units with these numbers of nodes. The sum is about 2⁴⁰.
#[expect(clippy::cast_sign_loss, reason = "estimates are positive, and scaled to at most 2⁴⁰")]
fn work(nodes: &[f64]) -> Vec<u64> {
    let scale = 2_f64.powi(40) / nodes.iter().sum::<f64>();
    nodes.iter().map(|nodes| ((nodes * scale) as u64).max(1)).collect()
}

/// Returns the number of probes for each of `units` units. The probes of all units together grow more slowly than the
/// tree: estimating takes about a hundredth of the counting time at N = 13, less beyond, and always less than a second.
fn probes(board: Board, units: usize) -> u32 {
    let all = 1 << board.size().saturating_sub(4).min(18);
    (all / units.max(1)).clamp(1, MOST_PROBES) as u32
}

/// Estimates the nodes below each unit.
///
/// Each estimate comes from random probes, seeded alike on every machine. It is then drawn towards the mean of the
/// units with the same number of rows left, the more so the fewer the probes. We tried to count the placements a few
/// rows further down instead. That is worse than the mean alone, because queens at the edge leave more squares at first
/// and fewer later.
fn expected_nodes(board: Board, open: &OpenColumns, units: &[Node], cancel: &Cancel) -> Result<Vec<f64>, Cancelled> {
    let probes = probes(board, units.len());
    let mut random = SplitMix64::new(board.size() as u64);
    let mut estimate =
        |unit: &Node| cancel.check().map(|()| nodes_below(*unit, &open[..board.size()], probes, &mut random));
    let estimates = units.iter().map(&mut estimate).collect::<Result<Vec<f64>, _>>()?;
    // For each number of rows left: the number of units, and the sum of their estimates.
    let mut alike = [(0.0, 0.0); Board::MAX_SIZE + 1];
    for (unit, nodes) in units.iter().zip(&estimates) {
        let (number, sum) = &mut alike[unit.rows_left() as usize];
        *number += 1.0;
        *sum += nodes;
    }
    let share = f64::from(probes) / (f64::from(probes) + PROBES_WORTH_OF_THE_MEAN);
    let drawn = |(unit, estimate): (&Node, f64)| {
        let (number, sum) = alike[unit.rows_left() as usize];
        share * estimate + (1.0 - share) * (sum / number)
    };
    Ok(units.iter().zip(estimates).map(drawn).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::tests::board;

    fn mirrored(node: Node, size: usize) -> Node {
        let mirror = |mask: u32| mask.reverse_bits() >> (Board::MAX_SIZE - size);
        // A bit that has left the board to the left would come back from the right.
        let on_board = |mask: u32| mask & board(size).columns();
        Node {
            columns: mirror(node.columns),
            falling: mirror(on_board(node.rising)),
            rising: mirror(on_board(node.falling)),
        }
    }

    #[test]
    fn units_and_their_mirror_images_are_all_placements_of_the_split_rows() {
        let key = |node: Node, size| {
            let on_board = |mask: u32| mask & board(size).columns();
            (node.columns, on_board(node.falling), on_board(node.rising))
        };
        for (size, rows) in [(4, 2), (8, 1), (8, 2), (8, 3), (9, 2), (9, 3), (16, 2), (17, 2), (31, 2), (32, 2)] {
            let mut placements = vec![Node::root(board(size))];
            for _ in 0..rows {
                placements = placements.iter().flat_map(|node| node.children().map(|(_, child)| child)).collect();
            }
            let mut placements: Vec<_> = placements.into_iter().map(|node| key(node, size)).collect();
            let both = |unit: &Node| [*unit, mirrored(*unit, size)].map(|node| key(node, size));
            let mut stand_for: Vec<_> = units(board(size), &ALL_OPEN, true, rows).iter().flat_map(both).collect();
            placements.sort_unstable();
            stand_for.sort_unstable();
            assert_eq!(stand_for, placements, "N = {size}, {rows} rows");
        }
    }

    #[test]
    fn asked_for_rows_are_kept_or_refused() {
        for given in 0..=4 {
            let settings = Settings { split_rows: Some(given), ..Settings::default() };
            let cut = Cut::new(board(8), &settings, &Cancel::new());
            if (1..=3).contains(&given) {
                assert_eq!(cut.ok().unwrap().0.name(), format!("mirror-{given}"));
            } else {
                assert_eq!(cut.err(), Some(PrepareError::SplitRows { given }));
            }
        }
    }
}
