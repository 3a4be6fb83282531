//! Times of other programs, to be shown beside a study: what they are read from, and their table.

use super::super::{Cell, Column, Detail, words};
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

/// The columns of the table.
pub(crate) const COLUMNS: &[Column<'_>] = &[
    Column { key: "mark", heading: "mark", width: 4, detail: Detail::Table },
    Column { key: "program", heading: "program", width: 24, detail: Detail::Table },
    Column { key: "machine", heading: "machine", width: 28, detail: Detail::Table },
    Column { key: "threads", heading: "threads", width: 7, detail: Detail::Table },
    Column { key: "board", heading: "N", width: 2, detail: Detail::Table },
    Column { key: "seconds", heading: "time", width: 10, detail: Detail::Table },
    Column { key: "source", heading: "source", width: 0, detail: Detail::Table },
];

/// Reads a file of times: CSV with a column for each field of [`Peer`]; others are passed over.
///
/// # Errors
/// When it is no such file, says why in a line.
pub(crate) fn read(text: impl Read) -> Result<Vec<Peer>, String> {
    let mut reader = ::csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text);
    let mut peers: Vec<Peer> = Vec::new();
    for peer in reader.deserialize() {
        let peer: Peer = peer.map_err(|error| error.to_string().replace('\n', " "))?;
        if !(peer.seconds > 0.0 && peer.seconds.is_finite() && peer.board > 0) {
            return Err(format!("'{}' with N = {} and {} seconds is no time", peer.program, peer.board, peer.seconds));
        }
        peers.push(peer);
    }
    if peers.is_empty() {
        return Err("there is no time in it".to_owned());
    }
    Ok(peers)
}

/// Those of the same program on the same machine, with the letter that marks them.
pub(super) fn marked(peers: &[Peer]) -> Vec<(char, Vec<&Peer>)> {
    let mut letters = ('a'..='z').chain('A'..='Z');
    let mut groups: Vec<(char, Vec<&Peer>)> = Vec::new();
    for peer in peers {
        let same = |other: &Peer| (&other.program, &other.machine) == (&peer.program, &peer.machine);
        match groups.iter_mut().find(|(_, group)| same(group[0])) {
            Some((_, group)) => group.push(peer),
            None => groups.push((letters.next().unwrap_or('*'), vec![peer])),
        }
    }
    groups
}

/// A time that may have been taken by the clock or by the calendar.
fn time(seconds: f64) -> String {
    if seconds < 120.0 { words::time(seconds) } else { words::long_time(seconds) }
}

/// A row for each time: a cell for each of [`COLUMNS`].
pub(crate) fn rows(peers: &[Peer]) -> Vec<Vec<Cell>> {
    let row = |mark: char, peer: &Peer| {
        vec![
            Cell::Text(mark.to_string()),
            Cell::Text(peer.program.clone()),
            Cell::Text(peer.machine.clone()),
            peer.threads.map_or(Cell::Missing, |threads| Cell::Integer(threads as u64)),
            Cell::Integer(peer.board as u64),
            Cell::Number(time(peer.seconds)),
            Cell::Text(peer.source.clone()),
        ]
    };
    marked(peers).into_iter().flat_map(|(mark, group)| group.into_iter().map(move |peer| row(mark, peer))).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn peer(program: &str, board: usize, seconds: f64) -> Peer {
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
            (format!("{header}a,M,1,16,-1,S\n"), "'a' with N = 16 and -1 seconds"),
            (header.to_owned(), "no time in it"),
        ] {
            let error = read(text.as_bytes()).unwrap_err();
            assert!(error.contains(reason) && !error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn the_times_of_a_program_on_a_machine_have_one_mark() {
        let peers = [peer("x", 16, 1.0), peer("y", 16, 2.0), peer("x", 17, 8.0)];
        let marked: Vec<_> = marked(&peers).into_iter().map(|(mark, group)| (mark, group.len())).collect();
        assert_eq!(marked, [('a', 2), ('b', 1)]);
        let rows = rows(&peers);
        assert_eq!(rows.len(), 3);
        assert_eq!((&rows[1][0], &rows[1][4]), (&Cell::Text("a".into()), &Cell::Integer(17)));
        assert!(rows.iter().all(|row| row.len() == COLUMNS.len()));
    }
}
