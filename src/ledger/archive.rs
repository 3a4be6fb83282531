//! The archive: the ledgers of a finished count as one, compressed, for publication.
//!
//! `zcat` shows it as the lines of a ledger of the whole plan, and every command reads it like such a ledger. A
//! checksum of gzip covers the whole archive, so that it is read as a whole or not at all. The checksum does not
//! protect against forgery; recounting units does.

use crate::cancel::Cancel;
use crate::ledger::line::{Header, Line, encode};
use crate::ledger::merge::{GatheredUnits, UnitRecord};
use crate::ledger::{Contents, LedgerError, MergeError, RunLine};
use crate::run::Shard;
use flate2::{Compression, GzBuilder};
use std::io::Write;

/// The identification of an unknown system in gzip, so that all systems write the same bytes.
const UNKNOWN_SYSTEM: u8 = 255;

/// Returns an archive of the ledgers of a finished count.
///
/// The bytes depend on the headers of the ledgers, their finished units and the runs of these units, but not on the
/// order of the ledgers. If several ledgers have a unit, the earliest run is kept. The names of hosts and the numbers
/// of processes are left out; the runs are numbered instead.
///
/// # Errors
/// Returns an error if [`merge`](super::merge) would.
///
/// ```
/// use nqueens::ledger::{Run, archive, merge, read};
/// use nqueens::{Board, Cancel, Job, Shard};
///
/// let folder = tempfile::tempdir()?;
/// let [ledger, file] = ["10.jsonl", "10.jsonl.gz"].map(|name| folder.path().join(name));
/// let (job, cancel) = (Job::new(Board::new(10)?), Cancel::new());
/// Run::open(&job, &ledger, Shard::WHOLE, &cancel)?.count(&cancel, &())?;
/// std::fs::write(&file, archive(&[read(&ledger)?])?)?;
/// assert_eq!(merge(&[read(&file)?])?.total, 724);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn archive(ledgers: &[Contents]) -> Result<Vec<u8>, MergeError> {
    GatheredUnits::new(ledgers)?.archive(&Cancel::new())
}

impl GatheredUnits<'_> {
    /// Returns an archive of the ledgers, as [`archive`] does.
    ///
    /// # Errors
    /// Returns an error if [`archive`] would, or `cancel` is set.
    #[expect(clippy::missing_panics_doc, reason = "writing to memory does not fail")]
    pub fn archive(&self, cancel: &Cancel) -> Result<Vec<u8>, MergeError> {
        self.merged()?;
        let begun = |header: &Header| (header.begun, header.host.clone(), header.program_version.clone());
        let earliest = self.ledgers.iter().map(|ledger| &ledger.header).min_by_key(|header| begun(header));
        let mut header = earliest.ok_or(MergeError::Nothing)?.clone();
        (header.shard, header.host) = (Shard::WHOLE, String::new());
        let identity = header.identity();
        let mut archive = GzBuilder::new().operating_system(UNKNOWN_SYSTEM).write(Vec::new(), Compression::best());
        let mut write = |line: String| archive.write_all(line.as_bytes()).expect("a vector takes every byte");
        write(encode(&header, ""));
        let mut units: Vec<UnitRecord<'_>> = self.units.values().copied().collect();
        // The units of a run stay in ascending order.
        units.sort_by(|one, other| one.run.order(other.run));
        for (number, run_units) in (1..).zip(units.chunk_by(|one, other| one.run == other.run)) {
            let run = RunLine { pid: number, host: String::new(), ..run_units[0].run.clone() };
            write(encode(&Line::Run(run), &identity));
            for UnitRecord { line, .. } in run_units {
                cancel.check().map_err(LedgerError::from)?;
                write(encode(&Line::Unit((*line).clone()), &identity));
            }
        }
        Ok(archive.finish().expect("a vector takes every byte"))
    }
}
