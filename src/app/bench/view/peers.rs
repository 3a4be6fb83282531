//! Times of other programs, to be shown beside a study: what they are read from, and their table.

use crate::Board;
use crate::app::bench::view::limits::{MOST_TEXT, MOST_THREADS, checked_seconds};
use crate::app::output::words::plural;
use crate::app::output::{Cell, Column, Detail, words};
use serde::Deserialize;
use std::io::Read;

/// The time that another program took for a board.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Peer {
    pub(crate) program: String,
    /// What it ran on.
    pub(crate) machine: String,
    /// On how many threads, where that is known and there are any.
    pub(crate) threads: Option<usize>,
    pub(crate) board: usize,
    pub(crate) seconds: f64,
    /// Where the time is published, or how it was measured.
    pub(crate) source: String,
}

/// The times as a table: a row for each program on each machine, a column for each board.
pub(crate) struct Peers {
    /// The headings of the boards.
    boards: Vec<String>,
    pub(crate) rows: Vec<Vec<Cell>>,
}

/// What stands before the times.
const FIRST: [Column<'static>; 4] = [
    Column { key: "mark", heading: "mark", width: 4, detail: Detail::Table },
    Column { key: "program", heading: "program", width: 20, detail: Detail::Table },
    Column { key: "machine", heading: "machine", width: 20, detail: Detail::Table },
    Column { key: "threads", heading: "threads", width: 7, detail: Detail::Table },
];

/// What stands behind them.
const SOURCE: Column<'static> = Column { key: "source", heading: "source", width: 0, detail: Detail::Table };

impl Peers {
    pub(crate) fn of(peers: &[Peer]) -> Self {
        let mut boards: Vec<usize> = peers.iter().map(|peer| peer.board).collect();
        boards.sort_unstable();
        boards.dedup();
        let row = |(mark, group): (char, Vec<&Peer>)| {
            let first = group[0];
            let seconds = |board: &usize| group.iter().find(|peer| peer.board == *board).map(|peer| peer.seconds);
            let time = |board| seconds(board).map_or(Cell::Missing, |seconds| Cell::Number(time(seconds)));
            let mut sources: Vec<&str> = group.iter().map(|peer| peer.source.as_str()).collect();
            sources.sort_unstable();
            sources.dedup();
            let known = [
                Cell::Text(mark.to_string()),
                Cell::Text(first.program.clone()),
                Cell::Text(first.machine.clone()),
                first.threads.map_or(Cell::Missing, |threads| Cell::Integer(threads as u64)),
            ];
            known.into_iter().chain(boards.iter().map(time)).chain([Cell::Text(sources.join("; "))]).collect()
        };
        let rows = marked(peers).into_iter().map(row).collect();
        Self { boards: boards.iter().map(|board| format!("N = {board}")).collect(), rows }
    }

    pub(crate) fn columns(&self) -> Vec<Column<'_>> {
        let of_boards =
            self.boards.iter().map(|heading| Column { key: heading, heading, width: 10, detail: Detail::Table });
        FIRST.into_iter().chain(of_boards).chain([SOURCE]).collect()
    }
}

/// The bytes of a file of times, and its times.
pub(crate) const MOST_BYTES: u64 = 1 << 20;
const MOST_PEERS: usize = 1000;

/// Reads a file of times: CSV with a column for each field of [`Peer`]; others are passed over.
///
/// # Errors
/// When it is no such file, says why in a line.
pub(crate) fn read(text: impl Read) -> Result<Vec<Peer>, String> {
    let mut reader = ::csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text);
    let one_line = |error: ::csv::Error| error.to_string().replace('\n', " ");
    let header = reader.headers().map_err(one_line)?.clone();
    let mut peers: Vec<Peer> = Vec::new();
    let mut record = ::csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(one_line)? {
        let line = record.position().map_or(0, ::csv::Position::line);
        let peer: Peer = record.deserialize(Some(&header)).map_err(one_line)?;
        let Peer { program, machine, threads, board, seconds, source } = &peer;
        let sound = checked_seconds(*seconds).is_ok()
            && Board::new(*board).is_ok()
            && threads.is_none_or(|threads| (1..=MOST_THREADS).contains(&threads));
        if [program, machine, source].into_iter().any(|text| text.len() > MOST_TEXT) {
            return Err(format!("line {line} has a text of more than {MOST_TEXT} bytes"));
        }
        if !sound {
            let threads = threads.map_or(String::new(), |threads| format!(" on {}", plural(threads, "thread")));
            return Err(format!(
                "line {line}: '{program}' with N = {board} and {seconds:?} seconds{threads} is no time"
            ));
        }
        if peers.iter().any(|other| same(other, &peer) && other.board == *board) {
            return Err(format!("line {line}: '{program}' has two times for N = {board}"));
        }
        if peers.len() == MOST_PEERS {
            return Err(format!("line {line} is one too many: there may be {MOST_PEERS} times"));
        }
        peers.push(peer);
    }
    if peers.is_empty() {
        return Err("there is no time in it".to_owned());
    }
    Ok(peers)
}

/// Whether both are of the same program on the same machine with as many threads.
fn same(one: &Peer, other: &Peer) -> bool {
    (&one.program, &one.machine, one.threads) == (&other.program, &other.machine, other.threads)
}

/// Those of the same program on the same machine with as many threads, and the letter that marks them.
pub(super) fn marked(peers: &[Peer]) -> Vec<(char, Vec<&Peer>)> {
    let mut letters = ('a'..='z').chain('A'..='Z');
    let mut groups: Vec<(char, Vec<&Peer>)> = Vec::new();
    for peer in peers {
        match groups.iter_mut().find(|(_, group)| same(group[0], peer)) {
            Some((_, group)) => group.push(peer),
            None => groups.push((letters.next().unwrap_or('*'), vec![peer])),
        }
    }
    groups
}

/// A time that may have been taken by the clock or by the calendar, to a digit after the point.
fn time(seconds: f64) -> String {
    match seconds {
        ..600.0 => words::time(seconds),
        ..7200.0 => format!("{:.1} min", seconds / 60.0),
        ..172_800.0 => format!("{:.1} h", seconds / 3600.0),
        _ => format!("{:.1} days", seconds / 86_400.0),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::app::bench::view) fn peer(program: &str, board: usize, seconds: f64) -> Peer {
        let source = format!("a page on {program}");
        Peer { program: program.to_owned(), machine: "Old & slow".into(), threads: Some(1), board, seconds, source }
    }

    #[test]
    fn a_file_of_times_is_read() {
        let text =
            "# a comment\nprogram,board,seconds,machine,threads,source,more\n\"a, b\",16,0.5,M,,S,x\nc,17,2,M,4,T,y\n";
        let peers = read(text.as_bytes()).unwrap();
        let peer = |program: &str, board, seconds, threads, source: &str| Peer {
            program: program.into(),
            machine: "M".into(),
            threads,
            board,
            seconds,
            source: source.into(),
        };
        assert_eq!(peers, [peer("a, b", 16, 0.5, None, "S"), peer("c", 17, 2.0, Some(4), "T")]);
    }

    #[test]
    fn what_is_no_file_of_times_is_refused() {
        let header = "program,machine,threads,board,seconds,source\n";
        for (text, reason) in [
            ("program,board\na,16\n".to_owned(), "missing field"),
            (format!("{header}a,M,1,16,soon,S\n"), "invalid float"),
            (format!("{header}a,M,1,16,-1,S\n"), "line 2: 'a' with N = 16 and -1.0 seconds on 1 thread"),
            (format!("{header}a,M,,16,NaN,S\n"), "'a' with N = 16 and NaN seconds"),
            (format!("{header}a,M,,16,1e308,S\n"), "'a' with N = 16 and 1e308 seconds"),
            (format!("{header}a,M,0,16,1,S\n"), "on 0 threads is no time"),
            (format!("{header}a,{},1,16,1,S\n", "M".repeat(501)), "line 2 has a text of more than 500 bytes"),
            (
                header.to_owned() + &(0..=1000).map(|row| format!("{row},M,,16,1,S")).collect::<Vec<_>>().join("\n"),
                "line 1002 is one too many",
            ),
            (format!("{header}a,M,1,4000000000,1,S\n"), "'a' with N = 4000000000"),
            (format!("{header}a,M,1,16,1,S\na,M,1,16,2,S\n"), "'a' has two times for N = 16"),
            (header.to_owned(), "no time in it"),
        ] {
            let error = read(text.as_bytes()).unwrap_err();
            assert!(error.contains(reason) && !error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn times_are_told_in_the_unit_that_suits_them() {
        let times = [0.0123, 135.0, 1223.0, 12_000.0, 2_455_104.768].map(time);
        assert_eq!(times, ["12.3 ms", "135.0 s", "20.4 min", "3.3 h", "28.4 days"]);
    }

    #[test]
    fn the_times_of_a_program_on_a_machine_have_one_mark() {
        let peers = [peer("x", 16, 1.0), peer("y", 16, 2.0), peer("x", 17, 8.0)];
        let marked: Vec<_> = marked(&peers).into_iter().map(|(mark, group)| (mark, group.len())).collect();
        assert_eq!(marked, [('a', 2), ('b', 1)]);
        let table = Peers::of(&peers);
        let headings: Vec<_> = table.columns().iter().map(|column| column.heading.to_owned()).collect();
        assert_eq!(headings, ["mark", "program", "machine", "threads", "N = 16", "N = 17", "source"]);
        let x = [Cell::Number("1.0 s".into()), Cell::Number("8.0 s".into()), Cell::Text("a page on x".into())];
        assert_eq!((table.rows.len(), &table.rows[0][4..]), (2, &x[..]));
        assert_eq!(table.rows[1][4..6], [Cell::Number("2.0 s".into()), Cell::Missing]);
    }
}
