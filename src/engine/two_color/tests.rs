//! Tests of the engine against slow and obvious counts, and of the mathematics on which it rests.

use crate::board::{Board, Line};
use crate::cancel::{Cancel, Cancelled};
use crate::engine::growth::tests::refuse_after;
use crate::engine::kernel::{Portable, match_kernel};
use crate::engine::two_color::join::UnitCounter;
use crate::engine::two_color::plan::{self, Unit};
use crate::engine::two_color::prepare::{BuildSides, OneByOneGuess, PreparedPart, Sharing, Side};
use crate::engine::two_color::sides::{BuildSide, TAIL};
use crate::engine::two_color::simd::Loops;
use crate::engine::two_color::tuples::{Colour, Geometry, Parity, Part, Rank, ReIndex, SquareClass};
use crate::engine::{Engine, StopReason, Worker};
use crate::published;
use std::collections::HashMap;

fn geometry(size: usize) -> Geometry {
    Geometry::new(Board::new(size).unwrap())
}

/// Returns the parts of a board, with at most `most` row blocks each.
fn in_row_blocks(size: usize, most: usize) -> Vec<Part> {
    let mut parts = Part::all(geometry(size));
    for part in &mut parts {
        part.row_blocks = most.min(part.ro.len());
    }
    parts
}

/// The numbers of placements on the squares of one colour, by their rows and their columns, as masks of the lines of
/// the board.
type Placements = HashMap<(u32, u32), u64>;

/// Places queens on squares with (i + j) mod 2 = `colour`, row by row; a row may stay empty. This function shares no
/// code with the engine.
fn placements(size: usize, colour: usize) -> Placements {
    fn descend(size: usize, colour: usize, row: usize, queens: &mut Vec<(usize, usize)>, found: &mut Placements) {
        if row == size {
            let rows = queens.iter().map(|&(row, _)| 1 << row).sum();
            let columns = queens.iter().map(|&(_, column)| 1 << column).sum();
            *found.entry((rows, columns)).or_default() += 1;
            return;
        }
        descend(size, colour, row + 1, queens, found);
        for column in (0..size).filter(|column| (row + column) % 2 == colour) {
            if queens.iter().all(|&queen| Line::between(queen, (row, column)).is_none()) {
                queens.push((row, column));
                descend(size, colour, row + 1, queens, found);
                queens.pop();
            }
        }
    }
    let mut found = HashMap::new();
    descend(size, colour, 0, &mut Vec::new(), &mut found);
    found
}

/// Returns the numbers of solutions by the row set and the column set of the white queens, if there are any.
fn products(size: usize) -> Placements {
    let all = (1 << size) - 1;
    let (white, black) = (placements(size, 0), placements(size, 1));
    let product = |(&(rows, columns), count)| {
        black.get(&(all ^ rows, all ^ columns)).map(|others| ((rows, columns), count * others))
    };
    white.iter().filter_map(product).collect()
}

/// Returns the sum of the partial counts of a part, before the division.
fn sum_of_units<K: Loops>(kernel: K, prepared: &PreparedPart) -> u128 {
    let re = 0..prepared.part.re.len();
    let units: Vec<Unit> =
        (0..prepared.part.row_blocks).map(|row_block| Unit { part: 0, row_block, re: re.clone() }).collect();
    partials(kernel, std::slice::from_ref(prepared), &units).into_iter().sum()
}

/// Returns the board and the part in words.
fn named(prepared: &PreparedPart) -> String {
    format!("N = {}, {} queens", prepared.part.geometry.size, prepared.part.queens)
}

/// Returns the contribution of a part, divided by the divisor. Every kernel that this CPU has must find the same.
fn contribution(prepared: &PreparedPart) -> u128 {
    let part = named(prepared);
    let sum = sum_of_units(Portable, prepared);
    for kernel in crate::engine::Kernel::ALL.iter().filter_map(|kernel| kernel.detect()) {
        match_kernel!(kernel, token => {
            assert_eq!(sum_of_units(token, prepared), sum, "{part}, {}", kernel.kernel());
        }, scalar => ());
    }
    let divisor = u128::from(Part::divisor(prepared.part.geometry));
    assert_eq!(sum % divisor, 0, "{part}");
    sum / divisor
}

#[test]
fn every_part_has_the_sum_of_the_obvious_count() {
    const EVEN_LINES: u32 = 0x5555_5555;
    for size in 1..=11 {
        let products = products(size);
        let with_queens = |queens: usize| {
            let in_part = |&(&(rows, _), _): &(&(u32, u32), &u64)| (rows & EVEN_LINES).count_ones() as usize == queens;
            products.iter().filter(in_part).map(|(_, &product)| u128::from(product)).sum::<u128>()
        };
        let (even, odd) = (size.div_ceil(2), size / 2);
        let mut counted = 0;
        for part in Part::all(geometry(size)) {
            let queens = part.queens;
            let mut expected = with_queens(queens);
            if size % 2 == 0 && 2 * queens < even {
                expected += with_queens(even - queens);
            }
            let found = contribution(&PreparedPart::new(part.clone()));
            assert_eq!(found, expected, "N = {size}, {queens} queens");
            let mut in_blocks = part.clone();
            in_blocks.row_blocks = part.ro.len().min(3);
            let found = contribution(&PreparedPart::new(in_blocks));
            assert_eq!(found, expected, "N = {size}, {queens} queens, in row blocks");
            let found = contribution(&PreparedPart::new(part).exchange());
            assert_eq!(found, expected, "N = {size}, {queens} queens, sides exchanged");
            counted += found;
        }
        // The parts that the bound leaves out have no solution.
        assert_eq!(counted, (even - odd..=even).map(with_queens).sum::<u128>(), "N = {size}");
        assert_eq!(Some(counted), published::total(Board::new(size).unwrap()), "N = {size}");
    }
}

#[test]
fn the_weights_add_up_to_the_number_of_all_tuples() {
    let binomial = |n: usize, k: usize| (1..=k as u128).fold(1, |product, i| product * (n as u128 + 1 - i) / i);
    for size in 1..=17 {
        let geometry = geometry(size);
        let (even, odd) = (size.div_ceil(2), size / 2);
        for part in Part::all(geometry) {
            let queens = part.queens;
            let tuples = (binomial(even, queens) * binomial(odd, queens - (even - odd))).pow(2);
            let exchanged = geometry.is_even() && 2 * queens < even;
            let mut sum = 0;
            for re in (0..part.re.len()).map(ReIndex) {
                let lengths = |parity| {
                    let ends = part.class_ends(parity, re);
                    [ends[0], ends[1] - ends[0], ends[2] - ends[1]].map(|length| length as u128)
                };
                let (even_lengths, odd_lengths) = (lengths(Parity::Even), lengths(Parity::Odd));
                for weights in part.ro.iter().filter_map(|&ro| part.weights(re, ro)) {
                    for (weights, even) in weights.0.iter().zip(even_lengths) {
                        for (&weight, odd) in weights.iter().zip(odd_lengths) {
                            sum += u128::from(weight) * even * odd;
                        }
                    }
                }
            }
            let all = u128::from(Part::divisor(geometry)) * tuples * if exchanged { 2 } else { 1 };
            assert_eq!(sum, all, "N = {size}, {queens} queens");
        }
    }
}

/// Returns a part whose compatible pairs are multiplied one by one in panels of so many chunks, or never.
fn one_by_one(mut prepared: PreparedPart, chunks: Option<usize>) -> PreparedPart {
    prepared.one_by_one = chunks.map(|panel| OneByOneGuess { panel, share: 0.0 });
    prepared
}

/// Up to N = 22 no byte was seen to overflow, so digits of few bits stand in for them. Sums of few records stand in for
/// the sums of longer lists.
#[test]
fn matrices_that_overflow_a_digit_are_counted_again_and_full_sums_are_emptied() {
    for part in [9, 12, 13].into_iter().flat_map(|size| Part::all(geometry(size))) {
        let expected = contribution(&PreparedPart::new(part.clone()));
        for bits in [1, 2, 3, 5] {
            let prepared = || {
                let mut prepared = PreparedPart::new(part.clone());
                (prepared.bits, prepared.most_records) = (bits, 7);
                prepared
            };
            for prepared in [prepared(), prepared().exchange(), one_by_one(prepared(), Some(2))] {
                let (rows, panel) = (prepared.build_rows, prepared.one_by_one.map(|guess| guess.panel));
                assert_eq!(contribution(&prepared), expected, "{part:?}, {bits} bits, {rows:?}, {panel:?}");
            }
        }
    }
}

/// A worker that is refused memory says so, whichever table was to grow, and sides to share do.
#[test]
fn a_table_that_is_refused_memory_is_an_error() {
    let part = Part::all(geometry(10)).swap_remove(0);
    let mut few_bits = PreparedPart::new(part.clone());
    (few_bits.bits, few_bits.most_records) = (1, 7);
    let parts = [few_bits, one_by_one(PreparedPart::new(part.clone()), Some(2)), PreparedPart::new(part).exchange()];
    for prepared in parts {
        let refused = |work: &dyn Fn() -> Result<(), StopReason>| {
            let with = |granted| {
                refuse_after(granted);
                work()
            };
            let refused = (0..1 << 20).map(with).take_while(|done| *done == Err(StopReason::Memory)).count();
            refuse_after(usize::MAX);
            (refused, work())
        };
        let (count, counted) = refused(&|| {
            let unit = Unit { part: 0, row_block: 0, re: 0..prepared.part.re.len() };
            let units = [unit];
            UnitCounter::new(Portable, std::slice::from_ref(&prepared), &units).count(0, &Cancel::new()).map(drop)
        });
        assert!(count > 10 && counted == Ok(()), "{}: {count} tables grow, {counted:?}", named(&prepared));
        let (count, shared) = refused(&|| prepared.share_build(prepared.shared_build.len() - 1, &Cancel::new()));
        assert!(count > 1 && shared == Ok(()), "{}: {count} tables grow, {shared:?}", named(&prepared));
    }
}

/// The count is the same in slots and one by one, and if only row sets with more build placements than some number are
/// counted in slots.
#[test]
fn parts_are_counted_in_slots_and_one_by_one() {
    for part in (6..=13).flat_map(|size| Part::all(geometry(size))) {
        let mut prepared = one_by_one(PreparedPart::new(part), None);
        let expected = contribution(&prepared);
        let shares = [1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0].map(|placements| (3, 0.5 / placements));
        for (panel, share) in [(1, 0.0), (usize::MAX, 0.0)].into_iter().chain(shares) {
            prepared.one_by_one = Some(OneByOneGuess { panel, share });
            assert_eq!(contribution(&prepared), expected, "{}, {panel}, {share}", named(&prepared));
        }
    }
}

#[test]
fn parts_with_most_queens_of_one_colour_are_counted_one_by_one() {
    let chosen = |size| -> Vec<bool> {
        Part::all(geometry(size)).into_iter().map(|part| PreparedPart::new(part).one_by_one.is_some()).collect()
    };
    assert_eq!(chosen(22), [true, true, false]);
    assert_eq!(chosen(23), [true, true, false, false, false, false, true]);
}

/// On odd boards about half of the even column sets are kept, and with them half of the placements.
#[test]
fn guessed_numbers_of_placements_are_near_the_real_ones() {
    for part in [15, 16].into_iter().flat_map(|size| Part::all(geometry(size))) {
        let prepared = PreparedPart::new(part);
        prepared.share_probe(0, &Cancel::new()).unwrap();
        let probe = prepared.shared_probe[0].get().unwrap();
        let re = &prepared.part.re;
        let (mut build, mut placements) = (BuildSides::default(), [0, 0]);
        for &rows in re {
            build.fill(&prepared, rows, ReIndex(re.len() - 1), &Cancel::new()).unwrap();
            placements = [placements[0] + build.sparse.len(), placements[1] + build.dense.len()];
        }
        for ((sides, probe), placements) in
            [(&prepared.sparse, &probe.sparse), (&prepared.dense, &probe.dense)].into_iter().zip(placements)
        {
            let records = (0..probe.segments()).map(|segment| probe.records(segment));
            let records: usize = records.map(|records| 2 * records.twins.len() + records.single.len()).sum();
            let bytes = (4 * records + 48 * probe.segments()) as f64 / prepared.part.ro.len() as f64;
            let per_rows = placements as f64 / re.len() as f64;
            let ratios = [sides.guess.list_bytes / bytes, sides.guess.build_placements / per_rows];
            assert!(ratios.iter().all(|ratio| (0.7..1.4).contains(ratio)), "{}: {ratios:?}", named(&prepared));
        }
    }
}

/// A guess may change as it likes, if the records have room for the rows that it leaves.
#[test]
fn guessed_depths_leave_tails_of_few_rows() {
    for part in (1..=Engine::TwoColor.largest_board()).flat_map(|size| Part::all(geometry(size))) {
        for prepared in [PreparedPart::new(part.clone()), PreparedPart::new(part).exchange()] {
            let rows = prepared.part.row_sets(prepared.build_rows.other());
            for sides in [&prepared.sparse, &prepared.dense] {
                let queens = rows.first().map_or(0, |&set| sides.probe.rows(set).count());
                assert!(queens <= sides.guess.depth + TAIL, "{}: {queens} rows", named(&prepared));
            }
        }
    }
}

#[test]
fn the_depth_of_prefixes_does_not_matter() {
    for (size, build_rows) in [10, 11].into_iter().flat_map(|size| [(size, Parity::Even), (size, Parity::Odd)]) {
        for part in Part::all(geometry(size)) {
            let mut prepared = PreparedPart::new(part);
            let expected = contribution(&prepared);
            if build_rows == Parity::Odd {
                prepared = prepared.exchange();
            }
            let fewest = |queens: usize| queens.saturating_sub(TAIL);
            let colours = match prepared.part.sparse() {
                Colour::White => [Colour::White, Colour::Black],
                Colour::Black => [Colour::Black, Colour::White],
            };
            let [sparse, dense] = colours.map(|colour| prepared.part.queens_of(colour, build_rows.other()));
            for sparse_depth in fewest(sparse)..=sparse {
                for dense_depth in fewest(dense)..=dense {
                    prepared.sparse.guess.depth = sparse_depth;
                    prepared.dense.guess.depth = dense_depth;
                    let depths = format!("{}, depths {sparse_depth} and {dense_depth}", named(&prepared));
                    assert_eq!(contribution(&prepared), expected, "{depths}");
                    if build_rows == Parity::Even {
                        prepared = one_by_one(prepared, Some(1));
                        assert_eq!(contribution(&prepared), expected, "{depths}, one by one");
                        prepared = one_by_one(prepared, None);
                    }
                }
            }
        }
    }
}

/// Without a prefix, a bucket can have more placements than a slice of a kernel with small slices has bits for.
#[test]
fn buckets_that_overflow_a_slice_are_counted_in_several() {
    let part = Part::all(geometry(17)).into_iter().max_by_key(|part| part.re.len()).unwrap();
    let mut prepared = PreparedPart::new(part);
    let part = &prepared.part;
    let class = SquareClass::new(part.geometry, Colour::White, Parity::Even);
    let sets = part.column_sets(Parity::Even);
    let mut build = BuildSide::default();
    let fullest = (0..part.re.len()).map(|re| {
        build.fill(&class, sets, part.re[re], sets.len(), &mut Vec::new(), &Cancel::new()).unwrap();
        (0..sets.len()).map(|rank| build.bucket(Rank::new(rank)).len()).max().unwrap()
    });
    assert!(part.sparse() == Colour::Black && fullest.max().unwrap() > 8 * Portable::BLOCKS);
    prepared.dense.guess.depth = 1;
    let expected = contribution(&prepared);
    prepared.dense.guess.depth = 0;
    assert_eq!(contribution(&prepared), expected, "{}", named(&prepared));
    // Counted one by one, the placements fill several blocks and slices, in panels of one chunk or of two.
    for chunks in [1, 2] {
        prepared = one_by_one(prepared, Some(chunks));
        assert_eq!(contribution(&prepared), expected, "{}, {chunks} chunks", named(&prepared));
    }
}

/// Returns the partial counts of units, all counted by one worker, one after another.
fn partials<K: Loops>(kernel: K, parts: &[PreparedPart], units: &[Unit]) -> Vec<u128> {
    let mut counter = UnitCounter::new(kernel, parts, units);
    (0..units.len()).map(|unit| counter.count(unit, &Cancel::new()).unwrap()).collect()
}

/// Returns the numbers of build sides and probe sides that are shared.
fn shared(parts: &[PreparedPart]) -> [usize; 2] {
    let count = |part: &PreparedPart| {
        let build = part.shared_build.iter().filter(|build| build.get().is_some()).count();
        [build, part.shared_probe.iter().filter(|probe| probe.get().is_some()).count()]
    };
    parts.iter().map(count).fold([0, 0], |sum, counts| [sum[0] + counts[0], sum[1] + counts[1]])
}

#[test]
fn units_count_the_same_whatever_is_guessed_of_their_entries() {
    for size in [9, 12, 14, 15] {
        let all = in_row_blocks(size, 3);
        let units = plan::units(&all);
        let parts: Vec<PreparedPart> = all.into_iter().map(PreparedPart::new).collect();
        for (unit, expected) in partials(Portable, &parts, &units).into_iter().enumerate() {
            let mut counter = UnitCounter::new(Portable, &parts, &units);
            counter.expect_large_entries();
            let partial = counter.count(unit, &Cancel::new()).unwrap();
            assert_eq!(partial, expected, "N = {size}, {:?}", units[unit]);
        }
    }
}

#[test]
fn units_count_the_same_whatever_is_shared() {
    for size in [8, 11, 14] {
        let parts = |exchanged| -> Vec<PreparedPart> {
            let parts = in_row_blocks(size, 3).into_iter().map(PreparedPart::new);
            parts.map(|part| if exchanged { part.exchange() } else { part }).collect()
        };
        let units = plan::units(&in_row_blocks(size, 3));
        let expected = partials(Portable, &parts(false), &units);
        let total = published::total(Board::new(size).unwrap()).unwrap();
        let divisor = u128::from(Part::divisor(geometry(size)));
        assert_eq!(expected.iter().sum::<u128>(), total * divisor, "N = {size}: each row choice is in one unit");
        for exchanged in [false, true] {
            let all: u64 = {
                let parts = parts(exchanged);
                Sharing::choose(&parts, units.iter(), u64::MAX).make(&Cancel::new()).unwrap();
                let [build, probe] = shared(&parts);
                assert!(build > 0 && (probe > 0) != exchanged, "N = {size}: {build} and {probe}");
                assert_eq!(partials(Portable, &parts, &units), expected, "N = {size}");
                let bytes = |part: &PreparedPart| {
                    let build = (0..part.shared_build.len()).map(Side::Build);
                    let sides = build.chain((0..part.shared_probe.len()).map(Side::Probe));
                    sides.map(|side| part.bytes_and_time(side).0).sum::<f64>()
                };
                parts.iter().map(bytes).sum::<f64>() as u64
            };
            let mut most = [0, 0];
            for bytes in [0, all / 10, all / 2] {
                let parts = parts(exchanged);
                Sharing::choose(&parts, units.iter(), bytes).make(&Cancel::new()).unwrap();
                most = shared(&parts);
                assert!(bytes > 0 || most == [0, 0], "N = {size}");
                assert_eq!(partials(Portable, &parts, &units), expected, "N = {size}, {bytes} bytes");
                // The second half of the units needs fewer sides.
                Sharing::choose(&parts, units[units.len() / 2..].iter(), u64::MAX).make(&Cancel::new()).unwrap();
                assert_eq!(partials(Portable, &parts, &units), expected, "N = {size}, {bytes} bytes and the rest");
            }
            assert!(most != [0, 0], "N = {size}: some fit");
            let cancel = Cancel::new();
            cancel.cancel();
            let parts = parts(exchanged);
            let made = Sharing::choose(&parts, units.iter(), u64::MAX).make(&cancel);
            assert_eq!((made, shared(&parts)), (Err(Cancelled.into()), [0, 0]), "N = {size}");
            Sharing::choose(&parts, units[..1].iter(), u64::MAX).make(&Cancel::new()).unwrap();
            assert_eq!(shared(&parts), [0, 0], "N = {size}: a single unit shares nothing");
        }
    }
}
