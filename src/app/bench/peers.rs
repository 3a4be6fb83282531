//! Times of other programs, read from a CSV file, to be shown beside a study.

use crate::app::bench::bounds;
use serde::Deserialize;
use std::io::Read;

/// The largest file of times, in bytes.
pub(super) const MOST_BYTES: u64 = 1 << 20;
/// The most times in a file.
const MOST_TIMES: usize = 1000;

/// The time of another program for one board.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct PeerTime {
    #[serde(deserialize_with = "bounds::text")]
    pub(crate) program: String,
    /// The machine that the program ran on.
    #[serde(deserialize_with = "bounds::text")]
    pub(crate) machine: String,
    /// `None` if unknown, and for programs without threads.
    #[serde(deserialize_with = "bounds::optional_threads")]
    pub(crate) threads: Option<usize>,
    #[serde(deserialize_with = "bounds::board")]
    pub(crate) board: usize,
    #[serde(deserialize_with = "bounds::seconds")]
    pub(crate) seconds: f64,
    /// The publication of the time, or how it was measured.
    #[serde(deserialize_with = "bounds::text")]
    pub(crate) source: String,
}

impl PeerTime {
    /// Returns program, machine and number of threads.
    fn peer(&self) -> (&str, &str, Option<usize>) {
        (&self.program, &self.machine, self.threads)
    }
}

/// Reads times from CSV with a column for each field of [`PeerTime`]. Other columns and lines that begin with `#` are
/// ignored.
///
/// # Errors
/// If a line is not such a time, two lines are times of one program for the same board, or there are no times or too
/// many; the reason in one line.
pub(super) fn read(text: impl Read) -> Result<Vec<PeerTime>, String> {
    let mut reader = ::csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text);
    let mut times: Vec<PeerTime> = Vec::new();
    for time in reader.deserialize() {
        let time: PeerTime = time.map_err(|error| error.to_string().replace('\n', " "))?;
        if times.iter().any(|other| other.peer() == time.peer() && other.board == time.board) {
            return Err(format!("'{}' has two times for N = {}", time.program, time.board));
        }
        if times.len() == MOST_TIMES {
            return Err(format!("more than {MOST_TIMES} times"));
        }
        times.push(time);
    }
    if times.is_empty() { Err("it has no times".to_owned()) } else { Ok(times) }
}

/// Groups times by program, machine and number of threads. The times of a group are sorted by board.
pub(super) fn by_peer(times: &[PeerTime]) -> Vec<Vec<&PeerTime>> {
    let mut groups: Vec<Vec<&PeerTime>> = Vec::new();
    for time in times {
        match groups.iter_mut().find(|group| group[0].peer() == time.peer()) {
            Some(group) => group.push(time),
            None => groups.push(vec![time]),
        }
    }
    for group in &mut groups {
        group.sort_by_key(|time| time.board);
    }
    groups
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::app::bench) fn peer(program: &str, board: usize, seconds: f64) -> PeerTime {
        let source = format!("a page on {program}");
        PeerTime { program: program.to_owned(), machine: "Old & slow".into(), threads: Some(1), board, seconds, source }
    }

    #[test]
    fn a_file_of_times_is_read() {
        let text =
            "# a comment\nprogram,board,seconds,machine,threads,source,more\n\"a, b\",16,0.5,M,,S,x\nc,17,2,M,4,T,y\n";
        let times = read(text.as_bytes()).unwrap();
        let time = |program: &str, board, seconds, threads, source: &str| PeerTime {
            program: program.into(),
            machine: "M".into(),
            threads,
            board,
            seconds,
            source: source.into(),
        };
        assert_eq!(times, [time("a, b", 16, 0.5, None, "S"), time("c", 17, 2.0, Some(4), "T")]);
    }

    #[test]
    fn what_is_no_file_of_times_is_refused() {
        let header = "program,machine,threads,board,seconds,source\n";
        for (text, reason) in [
            ("program,board\na,16\n".to_owned(), "missing field"),
            (format!("{header}a,M,1,16,soon,S\n"), "line: 2, "),
            (format!("{header}a,M,1,16,-1,S\n"), "-1e0 seconds is out of range"),
            (format!("{header}a,M,,16,NaN,S\n"), "NaN seconds is out of range"),
            (format!("{header}b,M,,16,1,S\na,M,,16,1e308,S\n"), "line: 3, "),
            (format!("{header}a,M,0,16,1,S\n"), "0 threads is out of range"),
            (format!("{header}a,{},1,16,1,S\n", "M".repeat(501)), "a text of 501 bytes"),
            (
                header.to_owned() + &(0..=1000).map(|row| format!("{row},M,,16,1,S")).collect::<Vec<_>>().join("\n"),
                "more than 1000 times",
            ),
            (format!("{header}a,M,1,4000000000,1,S\n"), "from 1 to 32"),
            (format!("{header}a,M,1,16,1,S\na,M,1,16,2,S\n"), "'a' has two times for N = 16"),
            (header.to_owned(), "it has no times"),
        ] {
            let error = read(text.as_bytes()).unwrap_err();
            assert!(error.contains(reason) && !error.contains('\n'), "{reason}: {error}");
        }
    }

    #[test]
    fn the_times_of_a_program_on_a_machine_belong_together() {
        let times = [peer("x", 17, 8.0), peer("y", 16, 2.0), peer("x", 16, 1.0)];
        let boards = |group: Vec<&PeerTime>| group.iter().map(|time| time.board).collect::<Vec<_>>();
        assert_eq!(by_peer(&times).into_iter().map(boards).collect::<Vec<_>>(), [vec![16, 17], vec![16]]);
    }
}
