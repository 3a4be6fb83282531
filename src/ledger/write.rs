//! Opens a ledger to continue it, and appends to it.

use crate::cancel::Cancel;
use crate::engine::Counter;
use crate::ledger::LedgerError;
use crate::ledger::line::{Header, Line, RunLine, UnitLine, encode};
use crate::ledger::read::{Contents, check_is_regular, parse};
use crate::new_file::{NewFile, sync_folder};
use crate::run::{Shard, UnitResult};
use std::cmp::Ordering;
use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// The interval at which finished units are written to the file. A killed process loses at most the units of this time.
const WRITE: Duration = Duration::from_millis(50);

/// The interval at which finished units are synced to disk. A crash of the machine loses at most the work of this time.
/// A shorter run does not wait for the disk at all.
const COMMIT: Duration = Duration::from_secs(1);

/// The error numbers for no free file descriptor in the system and in the process. They are the same on every Unix.
const ENFILE: i32 = 23;
const EMFILE: i32 = 24;

/// The longest time to wait for a ledger that is in use.
const PATIENCE: Duration = Duration::from_secs(1);

/// A ledger that this process appends to. Where the file system has locks, no other process can append to it.
#[derive(Debug)]
pub(crate) struct Ledger {
    file: File,
    path: PathBuf,
    identity: String,
    /// The length of the file in bytes after all complete writes.
    length: u64,
    /// True if the name of the file was synced to disk.
    named: bool,
    /// True if the file is locked, so that no other process can append to it.
    locked: bool,
}

/// The state of a ledger when it was opened.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Found {
    /// The contents of the ledger; `None` if it is new.
    pub contents: Option<Contents>,
    /// The path of the damaged file that was set aside, if there was damage.
    pub set_aside: Option<PathBuf>,
    /// True if the file system could not lock the file, so that a second process may write to it.
    pub unlocked: bool,
}

impl Found {
    /// Returns the finished units and their partial counts.
    pub fn partials(&self) -> impl Iterator<Item = (usize, u128)> {
        self.contents.iter().flat_map(|contents| contents.units.values()).map(|(_, line)| (line.unit, line.partial))
    }
}

impl Ledger {
    /// Opens a locked file as the ledger of a shard of a plan, and records the start of a run with this counter on
    /// `threads` threads. An empty file becomes a new ledger.
    ///
    /// An incomplete last line is cut off. If other lines are damaged, the file is set aside under a name that ends in
    /// `.bad`, and a new file with the valid lines replaces it.
    ///
    /// # Errors
    /// Returns an error if the system reports one, the file is not a ledger or is that of another count, or two of its
    /// lines have different partial counts for a unit.
    pub(crate) fn open(
        locked: Locked,
        counter: &dyn Counter,
        shard: Shard,
        threads: usize,
    ) -> Result<(Self, Found), LedgerError> {
        let made = locked.made.then(|| locked.path.clone());
        Self::go_on(locked, counter, shard, threads).inspect_err(|_| {
            if let Some(path) = made
                && path.metadata().is_ok_and(|metadata| metadata.len() == 0)
            {
                // An error is ignored: an empty file does no harm.
                let _ = std::fs::remove_file(path);
            }
        })
    }

    fn go_on(
        locked: Locked,
        counter: &dyn Counter,
        shard: Shard,
        threads: usize,
    ) -> Result<(Self, Found), LedgerError> {
        let ours = Header::new(counter.plan(), shard);
        let path = locked.path;
        let contents = parse(&path, &locked.file, Some(&ours))?;
        contents.without_contradiction()?;
        let mut found = Found { contents: None, set_aside: None, unlocked: !locked.for_sure };
        let mut ledger = Self {
            file: locked.file,
            path,
            identity: contents.header.identity(),
            length: contents.length,
            named: false,
            locked: locked.for_sure,
        };
        if contents.torn == contents.length {
            // The file is empty or has only a part of the first line.
            ledger.cut(0)?;
            ledger.identity = ours.identity();
            ledger.write(&encode(&ours, ""))?;
        } else {
            if contents.damage.is_some() {
                found.set_aside = Some(ledger.mend(&contents)?);
            } else if contents.unended {
                ledger.write("\n")?;
            } else if contents.torn > 0 {
                ledger.cut(contents.length - contents.torn)?;
            }
            found.contents = Some(contents);
        }
        let run = RunLine {
            pid: std::process::id(),
            host: crate::ledger::host(),
            kernel: counter.kernel().to_string(),
            threads,
            program_version: env!("NQUEENS_VERSION").to_owned(),
            begun: crate::ledger::now(),
        };
        ledger.write(&encode(&Line::Run(run), &ledger.identity))?;
        Ok((ledger, found))
    }

    /// Runs `work`. The finished units that it records are synced to disk about once a second, and at the end if the
    /// work took that long. If this fails, `cancel` is set. If the name of a new file cannot be synced, `warn` is
    /// called with a sentence.
    ///
    /// # Errors
    /// Returns an error if a unit could not be written. All lines written before are kept.
    pub(crate) fn recording<R>(
        &mut self,
        cancel: &Cancel,
        warn: &(dyn Fn(&str) + Sync),
        work: impl FnOnce(&Recorder) -> R,
    ) -> Result<R, LedgerError> {
        let identity = self.identity.clone();
        recording(self, identity, cancel, warn, work)
    }

    /// Replaces the file by one without the damaged lines, in the current version of the format. Returns the path where
    /// the old file was set aside.
    fn mend(&mut self, contents: &Contents) -> Result<PathBuf, LedgerError> {
        let header = contents.header.in_new_version();
        let identity = header.identity();
        let mut text = encode(&header, "");
        let mut unit_lines: Vec<&(usize, UnitLine)> = contents.units.values().collect();
        unit_lines.sort_by(|(run, unit), (other_run, other)| {
            run.cmp(other_run).then(unit.at.partial_cmp(&other.at).unwrap_or(Ordering::Equal))
        });
        let mut unit_lines = unit_lines.into_iter().peekable();
        for run in 0..contents.runs.len().max(1) {
            if let Some(line) = contents.runs.get(run) {
                text.push_str(&encode(&Line::Run(line.clone()), &identity));
            }
            while let Some((_, unit)) = unit_lines.next_if(|&&(of, _)| of == run) {
                text.push_str(&encode(&Line::Unit(unit.clone()), &identity));
            }
        }
        let replaced = || -> io::Result<(File, PathBuf)> {
            let mut mended = NewFile::create(&self.path)?;
            // Locks the file before it gets the ledger's name. An error is ignored: the file system has no locks.
            let _ = mended.file().try_lock();
            mended.write_all(text.as_bytes())?;
            // The old file keeps the ledger's name until the new one replaces it.
            let bad = set_aside(&self.path)?;
            mended.replace()?;
            Ok((mended.into_file(), bad))
        };
        let (file, bad) = replaced().map_err(|error| {
            let damage = contents.damage.as_ref();
            let (line, problem) = damage.map_or((0, String::new()), |damage| (damage.line, damage.reason.clone()));
            LedgerError::Mend { path: self.path.clone(), line, problem, source: Arc::new(error) }
        })?;
        self.file = file;
        self.identity = identity;
        self.length = text.len() as u64;
        Ok(bad)
    }

    /// Truncates the file to `length` bytes.
    fn cut(&mut self, length: u64) -> Result<(), LedgerError> {
        self.file.set_len(length).map_err(|error| LedgerError::io("truncate", &self.path, error))?;
        self.length = length;
        Ok(())
    }
}

/// A destination for finished units.
trait Store: Send {
    /// Appends whole lines.
    fn write(&mut self, lines: &str) -> Result<(), LedgerError>;
    /// Syncs the lines to disk. The first call also syncs the name of the file, and returns a warning if the system
    /// cannot do this.
    fn sync(&mut self) -> Result<Option<String>, LedgerError>;
    /// Checks that the file is still at its path.
    fn check_place(&self) -> Result<(), LedgerError>;
    /// Returns the path of the file.
    fn path(&self) -> &Path;
}

impl Store for Ledger {
    fn write(&mut self, lines: &str) -> Result<(), LedgerError> {
        let (mut written, bytes) = (0, lines.as_bytes());
        while written < bytes.len() {
            let error = match self.file.write(&bytes[written..]) {
                Ok(0) => io::ErrorKind::WriteZero.into(),
                Ok(more) => {
                    written += more;
                    continue;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => error,
            };
            // Complete lines are kept.
            let whole = bytes[..written].iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
            if self.locked {
                // An error is ignored: the next run cuts off an incomplete line in any case.
                let _ = self.file.set_len(self.length + whole as u64);
            }
            return Err(LedgerError::io("write to", &self.path, error));
        }
        self.length += written as u64;
        Ok(())
    }

    fn sync(&mut self) -> Result<Option<String>, LedgerError> {
        self.file.sync_data().map_err(|error| LedgerError::io("sync", &self.path, error))?;
        let unnamed = !std::mem::replace(&mut self.named, true);
        let error = unnamed.then(|| sync_folder(&self.path).err()).flatten();
        Ok(error.map(|error| {
            let path = self.path.display();
            format!(
                "the folder of '{path}' cannot be synced to disk: {error}; \
                 after a crash of the machine a new ledger may be missing"
            )
        }))
    }

    fn check_place(&self) -> Result<(), LedgerError> {
        if is_at(&self.file, &self.path) {
            return Ok(());
        }
        Err(LedgerError::Replaced { path: self.path.clone() })
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

/// Collects finished units from all threads of a run.
#[derive(Debug)]
pub(crate) struct Recorder {
    identity: String,
    start: OnceLock<Instant>,
    pending: Mutex<Pending>,
    ended: Condvar,
}

/// Lines that are not written yet.
#[derive(Debug, Default)]
struct Pending {
    lines: String,
    /// True if no more lines will be added.
    ended: bool,
}

impl Recorder {
    /// Starts the clock for the times of units.
    pub(super) fn begin(&self) {
        // An error is ignored: a run starts to count only once.
        let _ = self.start.set(Instant::now());
    }

    /// Returns the time since the run began to count.
    fn elapsed(&self) -> Duration {
        self.start.get().map_or(Duration::ZERO, Instant::elapsed)
    }

    /// Records a finished unit.
    pub(super) fn record(&self, result: &UnitResult) {
        let line = Line::Unit(UnitLine {
            unit: result.unit,
            partial: result.partial,
            weight: Some(result.weight),
            nodes: result.nodes,
            seconds: Some(result.elapsed.as_secs_f64()),
            at: Some(self.elapsed().as_secs_f64()),
        });
        let line = encode(&line, &self.identity);
        self.lock().lines.push_str(&line);
    }

    /// Writes the collected lines and syncs them to disk repeatedly until the end.
    fn commit(&self, store: &mut dyn Store, warn: &dyn Fn(&str)) -> Result<(), LedgerError> {
        // The time of the first line that is not synced to disk.
        let mut waiting: Option<Instant> = None;
        loop {
            let waited = self.ended.wait_timeout_while(self.lock(), WRITE, |pending| !pending.ended);
            let (lines, ended) = {
                let mut pending = waited.unwrap_or_else(PoisonError::into_inner).0;
                (std::mem::take(&mut pending.lines), pending.ended)
            };
            if !lines.is_empty() {
                store.write(&lines)?;
                waiting.get_or_insert_with(Instant::now);
            }
            let due =
                if ended { self.elapsed() >= COMMIT } else { waiting.is_some_and(|since| since.elapsed() >= COMMIT) };
            if ended || (waiting.is_some() && due) {
                store.check_place()?;
            }
            if waiting.is_some() && due {
                if let Some(reason) = store.sync()? {
                    warn(&reason);
                }
                waiting = None;
            }
            if ended {
                return Ok(());
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Pending> {
        // A thread that panicked has added only complete lines.
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the recorder's thread when dropped, even if the work panics.
struct End<'a>(&'a Recorder);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.lock().ended = true;
        self.0.ended.notify_all();
    }
}

fn recording<R>(
    store: &mut dyn Store,
    identity: String,
    cancel: &Cancel,
    warn: &(dyn Fn(&str) + Sync),
    work: impl FnOnce(&Recorder) -> R,
) -> Result<R, LedgerError> {
    let path = store.path().to_owned();
    let recorder = Recorder { identity, start: OnceLock::new(), pending: Mutex::default(), ended: Condvar::new() };
    std::thread::scope(|scope| {
        let commit = || recorder.commit(store, warn).inspect_err(|_| cancel.cancel());
        let committer = std::thread::Builder::new()
            .spawn_scoped(scope, commit)
            .map_err(|error| LedgerError::io("start a thread that writes to", &path, error))?;
        let end = End(&recorder);
        let worked = work(&recorder);
        drop(end);
        match committer.join() {
            Ok(written) => written.map(|()| worked),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// A ledger file that this process has locked, if the file system has locks.
#[derive(Debug)]
pub(crate) struct Locked {
    file: File,
    path: PathBuf,
    /// True if the file system has locks.
    for_sure: bool,
    /// True if the file did not exist before.
    made: bool,
}

impl Locked {
    /// Opens a file for reading and appending, and locks it. Creates the file if it does not exist.
    ///
    /// # Errors
    /// Returns an error if the system reports one, the path is not a regular file, or another process works on it.
    pub(crate) fn new(path: &Path) -> Result<Self, LedgerError> {
        let start = Instant::now();
        loop {
            check_is_regular(path)?;
            let mut options = File::options();
            options.read(true).append(true);
            let (file, made) = match options.clone().create_new(true).open(path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => (options.create(true).open(path), false),
                file => (file, true),
            };
            let file = file.map_err(|error| {
                // This error does not depend on the path.
                let no_descriptor = cfg!(unix) && matches!(error.raw_os_error(), Some(ENFILE | EMFILE));
                if no_descriptor {
                    LedgerError::io("get a file descriptor for", path, error)
                } else {
                    LedgerError::open(path, error)
                }
            })?;
            let for_sure = match file.try_lock() {
                Ok(()) => true,
                // A process that checks whether the file is in use holds the lock for a moment. A killed process holds
                // it until the system has cleaned up.
                Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => {
                    std::thread::sleep(PATIENCE / 20);
                    continue;
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(LedgerError::InUse { path: path.to_owned(), owner: owner(path) });
                }
                Err(TryLockError::Error(_)) => false,
            };
            // Before the lock was taken, another process may have repaired the ledger and replaced the file. Without
            // locks this cannot be ruled out.
            let in_place = is_at(&file, path);
            if !in_place && for_sure && start.elapsed() >= PATIENCE {
                return Err(LedgerError::InUse { path: path.to_owned(), owner: owner(path) });
            }
            if in_place || start.elapsed() >= PATIENCE {
                // Repair the file that a link leads to, not the link.
                let path = if path.is_symlink() { path.canonicalize().ok() } else { None }.unwrap_or(path.to_owned());
                return Ok(Self { file, path, for_sure, made });
            }
            std::thread::sleep(PATIENCE / 20);
        }
    }

    /// Removes the file if this created it and it is still empty.
    pub(crate) fn give_up(self) {
        if self.made && self.file.metadata().is_ok_and(|metadata| metadata.len() == 0) {
            // An error is ignored: an empty file does no harm.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Returns true if a process is working on the ledger at `path`, as far as the file system can show.
#[cfg(feature = "cli")]
pub(crate) fn is_in_use(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Returns the process that works on a ledger, from the last run recorded in it.
fn owner(path: &Path) -> String {
    let last = crate::ledger::read(path).ok().and_then(|contents| contents.runs.last().cloned());
    last.map_or("another process".to_owned(), |run| format!("process {} on {}", run.pid, run.host))
}

/// Returns true if the open file is the one at this path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(opened), Ok(found)) => place(opened) == place(found),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_at(_file: &File, _path: &Path) -> bool {
    true
}

/// Gives a file a second name that ends in `.bad`, or copies it if that fails. Returns the new path, which did not
/// exist before.
fn set_aside(path: &Path) -> io::Result<PathBuf> {
    for number in 1_u64.. {
        let mut bad = path.as_os_str().to_owned();
        bad.push(".bad");
        if number > 1 {
            bad.push(format!("-{number}"));
        }
        let bad = PathBuf::from(bad);
        let linked = match std::fs::hard_link(path, &bad) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => copy(path, &bad),
            linked => linked,
        };
        match linked {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            linked => return linked.map(|()| bad),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Copies a file to a new one.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let mut new = File::options().write(true).create_new(true).open(to)?;
    let copied = File::open(from).and_then(|mut from| io::copy(&mut from, &mut new)).and_then(|_| new.sync_all());
    copied.inspect_err(|_| {
        // An error is ignored: the incomplete copy is of no use.
        let _ = std::fs::remove_file(to);
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A store that fails at a given write or sync, as on a full disk.
    struct Failing {
        written: String,
        writes_left: usize,
        syncs_left: usize,
        taken_away: bool,
    }

    fn failing(writes_left: usize, syncs_left: usize) -> Failing {
        Failing { written: String::new(), writes_left, syncs_left, taken_away: false }
    }

    fn full() -> LedgerError {
        LedgerError::io("write to", Path::new("full"), io::ErrorKind::StorageFull.into())
    }

    fn is_full<R>(outcome: &Result<R, LedgerError>) -> bool {
        matches!(outcome, Err(LedgerError::Io { source, .. }) if source.kind() == io::ErrorKind::StorageFull)
    }

    impl Store for Failing {
        fn write(&mut self, lines: &str) -> Result<(), LedgerError> {
            self.writes_left = self.writes_left.checked_sub(1).ok_or_else(full)?;
            self.written.push_str(lines);
            Ok(())
        }

        fn sync(&mut self) -> Result<Option<String>, LedgerError> {
            self.syncs_left = self.syncs_left.checked_sub(1).ok_or_else(full)?;
            Ok(Some("no folders here".into()))
        }

        fn check_place(&self) -> Result<(), LedgerError> {
            if self.taken_away { Err(full()) } else { Ok(()) }
        }

        fn path(&self) -> &Path {
            Path::new("full")
        }
    }

    fn result(unit: usize) -> UnitResult {
        UnitResult { unit, partial: 1, weight: 1, nodes: None, elapsed: Duration::ZERO }
    }

    /// Records units at intervals and stops when it is cancelled. Returns the last unit and the result.
    fn record(store: &mut Failing, units: usize) -> (usize, Result<(), LedgerError>) {
        let cancel = Cancel::new();
        let mut last = 0;
        let recorded = recording(store, "identity".into(), &cancel, &|_| (), |recorder| {
            recorder.begin();
            for unit in 0..units {
                if cancel.is_cancelled() {
                    break;
                }
                recorder.record(&result(unit));
                last = unit;
                std::thread::sleep(WRITE / 4);
            }
        });
        (last, recorded)
    }

    #[test]
    fn work_of_more_than_a_second_is_synced_each_second_and_at_the_end() {
        let mut store = failing(1000, 1000);
        let start = Instant::now();
        let (last, recorded) = record(&mut store, 100);
        let seconds = start.elapsed().as_secs_f64();
        recorded.unwrap();
        assert_eq!(last, 99);
        let syncs = 1000 - store.syncs_left;
        assert!(syncs >= 2 && syncs as f64 <= 1.0 + seconds, "{syncs} in {seconds} s");
        assert_eq!(store.written.lines().count(), 100);
    }

    #[test]
    fn every_unit_is_written_at_the_end() {
        let mut store = failing(100, 1);
        let start = Instant::now();
        let (last, recorded) = record(&mut store, 9);
        recorded.unwrap();
        assert_eq!(last, 8);
        assert!(store.syncs_left == 1 || start.elapsed() >= COMMIT);
        let units: Vec<usize> = store
            .written
            .lines()
            .map(|line| match crate::ledger::line::decode(line.as_bytes(), "identity").unwrap() {
                Line::Unit(line) => line.unit,
                Line::Run(_) => panic!("no run was noted"),
            })
            .collect();
        assert_eq!(units, (0..9).collect::<Vec<_>>());
    }

    #[test]
    fn a_full_disk_stops_the_work_and_is_reported() {
        for (writes_left, syncs_left) in [(0, 9), (2, 9), (99, 0)] {
            let mut store = failing(writes_left, syncs_left);
            let (last, recorded) = record(&mut store, 1000);
            assert!(is_full(&recorded), "{recorded:?}");
            assert!(last < 500, "{last}");
        }
    }

    /// This also holds if the work is too short for a sync.
    #[test]
    fn a_ledger_that_was_taken_away_is_noticed_at_the_end() {
        let mut store = Failing { taken_away: true, ..failing(9, 9) };
        assert!(is_full(&record(&mut store, 1).1));
    }

    #[test]
    fn a_folder_that_cannot_be_synced_is_told_of_and_stops_nothing() {
        let told = Mutex::new(Vec::new());
        let mut store = failing(1000, 1000);
        let recorded = recording(
            &mut store,
            "identity".into(),
            &Cancel::new(),
            &|reason| told.lock().unwrap().push(reason.to_owned()),
            |recorder| {
                recorder.begin();
                recorder.record(&result(0));
                std::thread::sleep(COMMIT + WRITE);
            },
        );
        recorded.unwrap();
        assert_eq!(told.into_inner().unwrap(), ["no folders here"]);
    }

    #[test]
    fn work_that_panics_leaves_nobody_waiting() {
        let mut store = failing(9, 9);
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            recording(&mut store, "identity".into(), &Cancel::new(), &|_| (), |recorder| {
                recorder.record(&result(0));
                panic!("as it must");
            })
        }));
        assert!(panicked.is_err());
        assert_eq!(store.written.lines().count(), 1, "what was finished is kept");
    }
}
