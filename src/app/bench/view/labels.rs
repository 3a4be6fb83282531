//! The places of names beside the ends of lines.

/// A point of a picture.
pub(super) type Point = (f64, f64);

/// The distance between the end of a line and its name.
const GAP: f64 = 4.0;
/// The distance from which on a line leads from the end to the name.
const FAR: f64 = 5.0;
/// The distance between places that are tried.
const STEP: f64 = 4.0;
/// The price of a line that is covered by a name, in pixels of distance: of one that is more important, and of another.
const COVERED: [f64; 2] = [80.0, 5.0];
/// The price of an end that is covered by the name of another line.
const ENDS: f64 = 15.0;
/// The price of a line to the name that crosses another line.
const CROSSED: f64 = 5.0;
/// The price of a line to the name that goes through another name.
const THROUGH: f64 = 40.0;
/// The number of times that each name looks for a place.
const ROUNDS: usize = 4;

/// A rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

/// A straight line.
type Line = (Point, Point);

/// A straight line, and true if it is one of the important ones.
pub(super) type Segment = (Point, Point, bool);

/// A name that has a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Placed {
    pub(super) area: Area,
    /// The line from the end to the name, if that is far away.
    pub(super) leader: Option<Line>,
}

impl Area {
    fn of((left, top): Point, (width, height): Point) -> Self {
        Self { left, top, right: left + width, bottom: top + height }
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.bottom && other.top < self.bottom
    }

    /// Returns the point of the area that is nearest to a point.
    fn nearest(&self, (x, y): Point) -> Point {
        (x.clamp(self.left, self.right), y.clamp(self.top, self.bottom))
    }

    fn has(&self, point: Point) -> bool {
        self.nearest(point) == point
    }

    /// Returns true if a line goes through the area.
    fn is_crossed(&self, from: Point, to: Point) -> bool {
        let Self { left, top, right, bottom } = *self;
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)];
        self.has(from) || self.has(to) || corners.windows(2).any(|side| cross((side[0], side[1]), (from, to)))
    }
}

/// Returns true if two lines cross.
fn cross((a, b): Line, (c, d): Line) -> bool {
    let side =
        |(from, to): Line, point: Point| (to.0 - from.0) * (point.1 - from.1) - (to.1 - from.1) * (point.0 - from.0);
    side((a, b), c) * side((a, b), d) < 0.0 && side((c, d), a) * side((c, d), b) < 0.0
}

/// Finds a place for each name within `within`: near the `end` of its line, not over another name, and if possible not
/// over a line. A name has the given size. Returns `None` for a name that has no place left.
pub(super) fn place(names: &[(Point, Point)], lines: &[Segment], within: Area) -> Vec<Option<Placed>> {
    let mut placed: Vec<Option<Placed>> = vec![None; names.len()];
    // In later rounds a name can take a place that another has left.
    for _ in 0..ROUNDS {
        for (index, &(end, size)) in names.iter().enumerate() {
            placed[index] = None;
            let ends = names.iter().map(|(end, _)| *end).filter(|other| *other != end).collect::<Vec<_>>();
            placed[index] = best((end, size), (lines, &ends), &placed, within);
        }
    }
    placed
}

/// Finds the best place for one name beside those that are placed.
fn best(
    (end, size): (Point, Point),
    (lines, ends): (&[Segment], &[Point]),
    placed: &[Option<Placed>],
    within: Area,
) -> Option<Placed> {
    // To the right of the end, in the middle, is the best place of all.
    let wanted = (end.0 + GAP, end.1 - size.1 / 2.0);
    let distance = |place: Point| {
        let area = Area::of(place, size);
        let (x, y) = area.nearest(end);
        let (aside, above) = ((place.0 - wanted.0).abs(), (place.1 - wanted.1).abs());
        (x - end.0).hypot(y - end.1).max(GAP) + 0.02 * (aside + above)
    };
    let count = |from: f64, to: f64| ((to - from) / STEP).floor().max(-1.0) as i32;
    let across = count(within.left, within.right - size.0);
    let down = count(within.top, within.bottom - size.1);
    let grid = (0..=across).flat_map(|column| (0..=down).map(move |row| (column, row)));
    let grid = grid.map(|(column, row)| (within.left + STEP * f64::from(column), within.top + STEP * f64::from(row)));
    let is_inside = |place: &Point| {
        let area = Area::of(*place, size);
        area.left >= within.left && area.right <= within.right && area.top >= within.top && area.bottom <= within.bottom
    };
    let mut candidates: Vec<(f64, Point)> =
        grid.chain([wanted]).filter(is_inside).map(|place| (distance(place), place)).collect();
    candidates.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut best: Option<(f64, Placed)> = None;
    for (distance, place) in candidates {
        if best.is_some_and(|(cost, _)| cost <= distance) {
            break;
        }
        let area = Area::of(place, size);
        let near = area.nearest(end);
        let leader = ((near.0 - end.0).hypot(near.1 - end.1) > FAR).then_some((end, near));
        if area.has(end) || placed.iter().flatten().any(|other| area.overlaps(&other.area)) {
            continue;
        }
        let goes_through = |line: Option<Line>, area: &Area| line.is_some_and(|(from, to)| area.is_crossed(from, to));
        let through = placed.iter().flatten();
        let through = through.filter(|other| goes_through(leader, &other.area) || goes_through(other.leader, &area));
        let leaders = placed.iter().flatten().filter_map(|other| other.leader);
        let crossed = leader.map_or(0, |line| {
            let lines = lines.iter().map(|&(from, to, _)| (from, to)).chain(leaders);
            lines.filter(|other| cross(*other, line)).count()
        });
        let covered = lines.iter().filter(|(from, to, _)| area.is_crossed(*from, *to));
        let covered: f64 = covered.map(|(.., important)| COVERED[usize::from(!important)]).sum();
        let ends = ends.iter().filter(|end| area.has(**end)).count();
        let cost =
            distance + covered + CROSSED * crossed as f64 + THROUGH * through.count() as f64 + ENDS * ends as f64;
        if best.is_none_or(|(least, _)| cost < least) {
            best = Some((cost, Placed { area, leader }));
        }
    }
    best.map(|(_, placed)| placed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PAPER: Area = Area { left: 0.0, top: 0.0, right: 300.0, bottom: 200.0 };

    #[test]
    fn a_name_alone_stands_to_the_right_of_its_line() {
        let placed = place(&[((100.0, 50.0), (60.0, 12.0))], &[], PAPER)[0].unwrap();
        assert_eq!(placed, Placed { area: Area::of((104.0, 44.0), (60.0, 12.0)), leader: None });
        let placed = place(&[((290.0, 50.0), (60.0, 12.0))], &[], PAPER)[0].unwrap();
        assert!(placed.area.right <= 300.0 && placed.leader.is_none(), "{placed:?}");
    }

    #[test]
    fn a_name_keeps_off_the_lines() {
        let line = ((0.0, 50.0), (300.0, 50.0), true);
        let placed = place(&[((100.0, 50.0), (60.0, 12.0))], &[line], PAPER)[0].unwrap();
        assert!(!placed.area.is_crossed(line.0, line.1), "{placed:?}");
    }

    #[test]
    fn lines_cross_where_they_do() {
        let area = Area::of((10.0, 10.0), (10.0, 10.0));
        for (from, to, is_crossed) in [
            ((0.0, 2.0), (30.0, 30.0), true),
            ((12.0, 12.0), (13.0, 13.0), true),
            ((0.0, 15.0), (30.0, 15.0), true),
            ((0.0, 0.0), (30.0, 5.0), false),
            ((0.0, 15.0), (9.0, 15.0), false),
        ] {
            assert_eq!(area.is_crossed(from, to), is_crossed, "{from:?} {to:?}");
        }
    }

    proptest! {
        #[test]
        fn no_name_covers_another_or_leaves_the_paper(
            names in proptest::collection::vec(((0.0..300.0, 0.0..200.0), (10.0..120.0, 10.0..24.0)), 0..30),
        ) {
            let placed = place(&names, &[], PAPER);
            prop_assert_eq!(placed.len(), names.len());
            let areas: Vec<Area> = placed.iter().flatten().map(|placed| placed.area).collect();
            for (index, area) in areas.iter().enumerate() {
                prop_assert!(area.left >= 0.0 && area.top >= 0.0 && area.right <= 300.0 && area.bottom <= 200.0);
                prop_assert!(areas[index + 1..].iter().all(|other| !area.overlaps(other)));
            }
            // Few names all have a place.
            prop_assert!(names.len() > 3 || areas.len() == names.len());
        }
    }
}
