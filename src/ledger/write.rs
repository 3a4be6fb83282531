//! Opens a ledger to continue it, and appends to it.

use crate::cancel::{Cancel, CancelOnDrop};
use crate::engine::{Counter, Device};
use crate::ledger::LedgerError;
use crate::ledger::line::{Entry, Header, RunLine, UnitLine, encode};
use crate::ledger::read::{Contents, check_is_regular, find_header, is_torn_header, only, parse};
use crate::ledger::text::Lines;
use crate::platform::Instant;
use crate::run::{Observer, RunError, Shard, UnitResult};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// The interval at which finished units are written to the file. A killed process loses at most the units of one
/// interval.
const WRITE: Duration = Duration::from_millis(50);

/// The interval at which finished units are synced to disk. A crash of the machine loses at most the work of one
/// interval. A shorter run does not wait for the disk at all.
const COMMIT: Duration = Duration::from_secs(1);

/// The longest time to wait for a ledger that is in use.
const LOCK_PATIENCE: Duration = Duration::from_secs(1);

/// The number of bytes by which a ledger is recognized: its header and its first run.
const KNOWN_BYTES: u64 = 1 << 10;

/// A ledger that this process appends to. If the file system has locks, no other process can append to it.
#[derive(Debug)]
pub(super) struct Ledger {
    file: File,
    path: PathBuf,
    identity: String,
    /// The run of this process, once it has begun.
    run: Option<RunLine>,
    /// True if the file system has locks.
    is_locked: bool,
    /// True if the file has only a part of a header.
    is_torn: bool,
    /// The first bytes of the file, at most [`KNOWN_BYTES`].
    beginning: Vec<u8>,
    /// The end of the file when it was opened or after the last write, if no other process may write.
    end: u64,
}

impl Ledger {
    /// Opens a file for reading and appending, and locks it. Creates the file if it does not exist.
    ///
    /// # Errors
    /// Returns an error if the system reports one, the path is not a regular file, or another process works on it.
    pub(super) fn open(path: &Path) -> Result<Self, LedgerError> {
        check_is_regular(path)?;
        let mut options = File::options();
        options.read(true).append(true);
        keep_to_itself(&mut options);
        let opened = |options: &mut OpenOptions| match options.open(path) {
            Err(error) if is_lacking(&error) => options.append(false).write(true).open(path),
            opened => opened,
        };
        let unopened = |error: io::Error| {
            let folder = folder(path);
            let missing = || io::Error::other(format!("the folder '{}' does not exist", folder.display()));
            let error = if let Ok(false) = folder.try_exists() { missing() } else { error };
            LedgerError::Open { path: path.to_owned(), source: Arc::new(error) }
        };
        let start = Instant::now();
        let file = loop {
            match opened(options.create(true)) {
                Err(error) if is_taken(&error) => wait_for(path, start)?,
                file => break file.map_err(unopened)?,
            }
        };
        let is_locked = lock(&file, path)?;
        let end = file.metadata().map_err(unopened)?.len();
        let (path, identity, beginning) = (path.to_owned(), String::new(), Vec::new());
        Ok(Self { file, path, identity, run: None, is_locked, is_torn: false, beginning, end })
    }

    /// Returns the header; `None` if the file is empty, or has only a part of one.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, is not a ledger, has another version of the format, or is
    /// compressed, or if `cancel` is set.
    pub(super) fn header(&mut self, cancel: &Cancel) -> Result<Option<Header>, LedgerError> {
        let mut lines = Lines::new(&self.path, &self.file, cancel)?;
        if lines.is_gzip {
            let reason = "an archive, and a count cannot continue one; give a ledger, or a new file".to_owned();
            return Err(LedgerError::Other { path: self.path.clone(), reason });
        }
        let header = find_header(&mut lines);
        // Without locks, another process may be writing it.
        self.is_torn = header.is_err() && self.is_locked && is_torn_header(&lines);
        if self.is_torn { Ok(None) } else { header }
    }

    /// Returns what a user should know of the file, in words.
    pub(super) fn warnings(&self) -> impl Iterator<Item = String> {
        let path = self.path.display();
        let unlocked = format!("'{path}' cannot be locked on this file system; let no other run use it");
        let torn = format!("'{path}' had only a part of its first line; the count begins anew there");
        [(!self.is_locked, unlocked), (self.is_torn, torn)]
            .into_iter()
            .filter(|(holds, _)| *holds)
            .map(|(_, text)| text)
    }

    /// Records the start of a run of this job, unless all units are in the ledger. A file without header becomes a new
    /// ledger of a shard of the plan. Returns the contents that the ledger had. `header` is the result of
    /// [`header`](Self::header).
    ///
    /// # Errors
    /// Returns an error if the system reports one, the ledger belongs to another count, the file has several ledgers,
    /// two lines have different partial counts for a unit, or `cancel` is set.
    pub(super) fn begin(
        &mut self,
        header: Option<Header>,
        counter: &Counter,
        shard: Shard,
        threads: usize,
        cancel: &Cancel,
    ) -> Result<Option<Contents>, LedgerError> {
        let ours = Header::new(&counter.plan, shard);
        self.identity = ours.identity();
        let (mut lines, mut contents) = (String::new(), None);
        if let Some(header) = header {
            if header.identity() != self.identity {
                return Err(LedgerError::other(&self.path, &header, &ours));
            }
            let plan = Arc::new(counter.plan.clone());
            let mut text = Lines::new(&self.path, &self.file, cancel)?;
            let found = only(parse(&mut text, header, |_| Ok(Ok(Arc::clone(&plan))))?)?;
            found.without_contradiction()?;
            if !text.is_ended {
                lines.push('\n');
            }
            contents = Some(found);
        } else {
            if self.is_torn {
                self.file.set_len(0).map_err(|error| LedgerError::io("write to", &self.path, error))?;
                self.end = 0;
            }
            lines.push_str(&encode(&ours, ""));
        }
        let left = ours.shard_units() - contents.as_ref().map_or(0, |found| found.units.len());
        let threads = threads.min(left).max(1);
        let run = RunLine {
            pid: std::process::id(),
            host: crate::ledger::host(),
            cpu: crate::run::cpu_model(),
            kernel: counter.kernel.to_string(),
            exchanged: false,
            device: Device::in_words(&counter.devices, threads),
            threads,
            program_version: env!("NQUEENS_VERSION").to_owned(),
            begun: crate::ledger::now(),
        };
        lines.push_str(&encode(&Entry::Run(run.clone()), &self.identity));
        if left == 0 && contents.is_some() {
            // A finished ledger keeps its bytes, of which there may be a copy or a checksum.
            lines.clear();
        }
        self.run = Some(run);
        // If a full disk takes a part of a new header only, the next run begins anew.
        self.write(&lines)?;
        self.beginning = beginning(&self.file).map_err(|error| LedgerError::io("read", &self.path, error))?;
        Ok(contents)
    }

    /// Appends whole lines.
    ///
    /// # Errors
    /// Returns an error if the system reports one, or another program has cut or extended the file.
    fn write(&mut self, lines: &str) -> Result<(), LedgerError> {
        let end = self.check_end()?;
        let written = self.file.write_all(lines.as_bytes());
        self.end = end + lines.len() as u64;
        written.map_err(|error| LedgerError::io("write to", &self.path, error))
    }

    /// Goes to the end of the file, even if it was not opened to append, and returns its place. Checks that no written
    /// byte is missing and, if no other process of this program may write, that nothing was added.
    fn check_end(&mut self) -> Result<u64, LedgerError> {
        let end = self.file.seek(SeekFrom::End(0)).map_err(|error| LedgerError::io("write to", &self.path, error))?;
        if end == self.end || end > self.end && !self.is_locked {
            return Ok(end);
        }
        let changed = format!(
            "another program has changed it from {} to {end} bytes; the same command counts the units that are missing",
            self.end
        );
        Err(LedgerError::io("go on with", &self.path, io::Error::other(changed)))
    }

    /// Syncs the lines to disk. The first call, which is given the observer, tells it if the file system cannot do this,
    /// and syncs the name of the file too.
    fn sync(&self, first: Option<&dyn Observer>) -> Result<(), LedgerError> {
        match (self.file.sync_data(), first) {
            (Err(error), _) if !is_lacking(&error) => return Err(LedgerError::io("sync", &self.path, error)),
            (Err(_), Some(observer)) => observer.warning(
                "this file system cannot flush the ledger to a disk; if the machine fails, the last lines may be lost",
            ),
            _ => {}
        }
        if first.is_some() {
            // An error is ignored: nothing can be done about folders that cannot be opened or synced.
            let _ = File::open(folder(&self.path)).and_then(|folder| folder.sync_all());
        }
        Ok(())
    }

    /// Checks that the file is still at its path, has its beginning, and is whole.
    fn check_place(&mut self) -> Result<(), LedgerError> {
        self.check_end()?;
        let is_ours = |file: &File| -> io::Result<bool> {
            Ok(file.metadata()?.len() >= self.end && beginning(file)?.starts_with(&self.beginning))
        };
        let (is_ours, reason) = if is_at(&self.file, &self.path) {
            (is_ours(&self.file), "another program has overwritten its first line")
        } else {
            // Some network file systems give a file another number at each look.
            (File::open(&self.path).and_then(|file| is_ours(&file)), "another file is there, or none")
        };
        let changed = match is_ours {
            Ok(true) => return Ok(()),
            Err(error) if error.kind() != io::ErrorKind::NotFound => error,
            _ => io::Error::new(io::ErrorKind::NotFound, reason),
        };
        Err(LedgerError::io("go on with", &self.path, changed))
    }
}

impl Drop for Ledger {
    /// Removes an empty file: no ledger was begun in it.
    fn drop(&mut self) {
        let is_empty = || self.file.metadata().is_ok_and(|metadata| metadata.len() == 0);
        if self.is_locked && is_empty() && is_at(&self.file, &self.path) {
            // Windows does not remove a file that `keep_to_itself` has opened, so a file that another process opens now
            // stays.
            if cfg!(windows)
                && let Ok(file) = File::open(&self.path)
            {
                self.file = file;
            }
            // An error is ignored: nothing is lost with the file.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Returns the first bytes of a file, by which a ledger is recognized.
fn beginning(mut file: &File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.take(KNOWN_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns true if an error says that a file system cannot do something with any file, such as sync it.
pub fn is_lacking(error: &io::Error) -> bool {
    #[cfg(unix)]
    // On macOS this error has no kind.
    if error.raw_os_error() == Some(rustix::io::Errno::NOTSUP.raw_os_error()) {
        return true;
    }
    matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported)
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Collects finished units from all threads of a run.
#[derive(Debug)]
pub(super) struct Recorder {
    identity: String,
    start: OnceLock<Instant>,
    /// The last line of a run, and the lines not written yet.
    pending: Mutex<(Option<RunLine>, String)>,
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

    pub(super) fn record(&self, result: &UnitResult) {
        let line = Entry::Unit(UnitLine {
            unit: result.unit,
            partial: result.partial,
            work: result.work,
            nodes: result.nodes,
            seconds: result.elapsed.as_secs_f64(),
            cpu_seconds: result.cpu_time.map(|time| time.as_secs_f64()),
            at: self.elapsed().as_secs_f64(),
        });
        let line = encode(&line, &self.identity);
        let (run, lines) = &mut *self.lock();
        let route = result.route;
        // The first line of the run names what was to count.
        if let Some(run) = run.as_mut().filter(|run| run.route(route.engine) != Some(route)) {
            (run.kernel, run.exchanged) = (route.kernel.to_string(), route.exchanged);
            lines.push_str(&encode(&Entry::Run(run.clone()), &self.identity));
        }
        lines.push_str(&line);
    }

    /// Writes the collected lines and syncs them to disk repeatedly until `end` is set.
    fn commit(&self, ledger: &mut Ledger, end: &Cancel, observer: &dyn Observer) -> Result<(), LedgerError> {
        // The time of the first line not synced to disk yet.
        let mut waiting: Option<Instant> = None;
        let mut first = Some(observer);
        loop {
            let ended = end.wait(WRITE);
            let lines = std::mem::take(&mut self.lock().1);
            if !lines.is_empty() {
                ledger.write(&lines)?;
                waiting.get_or_insert_with(Instant::now);
            }
            let due = waiting.is_some_and(|since| if ended { self.elapsed() } else { since.elapsed() } >= COMMIT);
            if ended || due {
                ledger.check_place()?;
            }
            if due {
                ledger.sync(first.take())?;
                waiting = None;
            }
            if ended {
                return Ok(());
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, (Option<RunLine>, String)> {
        // A thread that panicked has added only complete lines.
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs `work`. The finished units that it records are written to the ledger. They are synced to disk about once a
/// second, and at the end if the work took that long. If writing fails, `cancel` is set.
///
/// # Errors
/// Returns an error if a unit could not be written. All lines written before are kept.
pub(super) fn recording<R>(
    ledger: &mut Ledger,
    cancel: &Cancel,
    observer: &dyn Observer,
    work: impl FnOnce(&Recorder) -> R,
) -> Result<R, LedgerError> {
    let (identity, pending) = (ledger.identity.clone(), Mutex::new((ledger.run.clone(), String::new())));
    let recorder = Recorder { identity, start: OnceLock::new(), pending };
    std::thread::scope(|scope| {
        // If the work panics, `end` is dropped as well.
        let ended = Cancel::new();
        let end = CancelOnDrop(ended.clone());
        let recorder = &recorder;
        let commit = move || recorder.commit(ledger, &ended, observer).inspect_err(|_| cancel.cancel());
        let committer =
            std::thread::Builder::new().spawn_scoped(scope, commit).map_err(|error| RunError::pool(1, error))?;
        let worked = work(recorder);
        drop(end);
        crate::run::join(committer).map(|()| worked)
    })
}

/// Lets no other process write to the file, rename or remove it. Windows needs this instead of a lock: its locks would
/// also keep other processes from reading, and so `status`.
#[cfg(windows)]
fn keep_to_itself(options: &mut OpenOptions) {
    use std::os::windows::fs::OpenOptionsExt;
    /// `GENERIC_READ` and `GENERIC_WRITE`. Append-only access would not let us truncate a line that a full disk left
    /// incomplete.
    const THIS_MAY: u32 = 0x8000_0000 | 0x4000_0000;
    /// `FILE_SHARE_READ`.
    const OTHERS_MAY: u32 = 1;
    options.access_mode(THIS_MAY).share_mode(OTHERS_MAY);
}

#[cfg(not(windows))]
fn keep_to_itself(_options: &mut OpenOptions) {}

/// Returns true if another process keeps the file to itself.
fn is_taken(error: &io::Error) -> bool {
    /// `ERROR_SHARING_VIOLATION`.
    const TAKEN: i32 = 32;
    cfg!(windows) && error.raw_os_error() == Some(TAKEN)
}

/// Waits a moment for the process that works on the ledger at `path`.
///
/// # Errors
/// Returns an error if [`LOCK_PATIENCE`] is over since `start`.
fn wait_for(path: &Path, start: Instant) -> Result<(), LedgerError> {
    if start.elapsed() >= LOCK_PATIENCE {
        return Err(LedgerError::InUse { path: path.to_owned(), owner: owner(path) });
    }
    std::thread::sleep(LOCK_PATIENCE / 20);
    Ok(())
}

/// Locks a file. Returns false if the file system has no locks.
///
/// # Errors
/// Returns an error if another process holds the lock for [`LOCK_PATIENCE`]. A process that checks whether the file is
/// in use holds the lock for a moment. A killed process holds it until the system has cleaned up.
fn lock(file: &File, path: &Path) -> Result<bool, LedgerError> {
    let start = Instant::now();
    while cfg!(not(windows)) {
        match file.try_lock() {
            Ok(()) => break,
            Err(TryLockError::Error(_)) => return Ok(false),
            Err(TryLockError::WouldBlock) => wait_for(path, start)?,
        }
    }
    Ok(true)
}

/// Returns true if a process is working on the ledger at `path`, as far as the file system can show.
pub(super) fn is_in_use(path: &Path) -> bool {
    if cfg!(windows) {
        return File::options().append(true).open(path).is_err_and(|error| is_taken(&error));
    }
    File::open(path).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Returns the process that works on a ledger, as the ledger's last run names it.
fn owner(path: &Path) -> String {
    let last = crate::ledger::read(path).ok().and_then(|contents| contents.runs.last().cloned());
    last.map_or("another process".to_owned(), |run| format!("process {} on {}", run.pid, run.host))
}

/// Returns true if the open file is the file at this path.
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
fn is_at(_file: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Engine, Kernel};
    use crate::run::Route;
    use std::fs;

    fn opened(folder: &tempfile::TempDir) -> Ledger {
        Ledger::open(&folder.path().join("ledger")).unwrap()
    }

    /// Records units at intervals and stops when it is cancelled. Returns the last unit and the result.
    #[cfg(unix)]
    fn record(ledger: &mut Ledger, units: usize) -> (usize, Result<(), LedgerError>) {
        let cancel = Cancel::new();
        let mut last = 0;
        let recorded = recording(ledger, &cancel, &(), |recorder| {
            recorder.begin();
            for unit in (0..units).take_while(|_| !cancel.is_cancelled()) {
                recorder.record(&result(unit));
                last = unit;
                std::thread::sleep(WRITE / 4);
            }
        });
        (last, recorded)
    }

    fn result(unit: usize) -> UnitResult {
        let (elapsed, cpu_time) = (Duration::ZERO, None);
        let route = Route { engine: Engine::Backtrack, kernel: Kernel::Scalar, exchanged: false };
        UnitResult { unit, partial: 1, route, work: 1, nodes: None, elapsed, cpu_time, share: 1.0 }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_stops_the_work_and_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = opened(&folder);
        ledger.file = File::options().append(true).open("/dev/full").unwrap();
        let (last, recorded) = record(&mut ledger, 1000);
        let is_full = |source: &io::Error| source.kind() == io::ErrorKind::StorageFull;
        assert!(matches!(&recorded, Err(LedgerError::Io { source, .. }) if is_full(source)), "{recorded:?}");
        assert!(last < 500, "{last}");
    }

    /// Lines are also written if the work is too short for a sync.
    #[test]
    #[cfg(unix)]
    fn a_ledger_that_was_taken_away_is_noticed_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = opened(&folder);
        fs::rename(&ledger.path, folder.path().join("moved")).unwrap();
        let mut noticed = || record(&mut ledger, 1).1.unwrap_err().to_string();
        let path = folder.path().join("ledger");
        let expected = format!("cannot go on with '{}': another file is there, or none", path.display());
        assert_eq!(noticed(), expected);
        fs::write(path, "another\n").unwrap();
        assert_eq!(noticed(), expected);
    }

    /// Some network file systems give a file another number at each look, as a copy has.
    #[test]
    #[cfg(unix)]
    fn a_ledger_is_known_by_its_beginning_and_its_length() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = opened(&folder);
        ledger.begin(None, &counter(), Shard::WHOLE, 1, &Cancel::new()).unwrap();
        let begun = fs::read(&ledger.path).unwrap();
        let moved = folder.path().join("moved");
        fs::rename(&ledger.path, &moved).unwrap();
        fs::copy(&moved, &ledger.path).unwrap();
        ledger.check_place().unwrap();
        fs::write(&ledger.path, vec![b' '; begun.len()]).unwrap();
        assert!(ledger.check_place().unwrap_err().to_string().ends_with(": another file is there, or none"));
        fs::copy(&moved, &ledger.path).unwrap();
        ledger.write("{}\n").unwrap();
        assert!(ledger.check_place().is_err(), "the copy lacks a line");
        // Another program overwrites the same file.
        fs::rename(&moved, &ledger.path).unwrap();
        ledger.check_place().unwrap();
        let mut file = File::options().write(true).open(&ledger.path).unwrap();
        file.write_all(b"[").unwrap();
        assert!(
            ledger.check_place().unwrap_err().to_string().ends_with(": another program has overwritten its first line")
        );
    }

    /// The process that made the file may be late, and another may have begun the ledger, except on Windows.
    #[test]
    fn a_new_file_is_removed_only_while_it_is_empty() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger");
        drop(opened(&folder));
        assert!(!path.exists());
        let missing = Ledger::open(&folder.path().join("none/ledger")).unwrap_err().to_string();
        assert!(missing.ends_with("none' does not exist"), "{missing}");
        let late = opened(&folder);
        let is_begun = fs::write(&path, "{\"schema\":\"nqueens/ledger/3\"}\n").is_ok();
        drop(late);
        assert_eq!([is_begun, path.exists()], [cfg!(not(windows)); 2]);
    }

    /// Whoever looks whether a ledger is in use holds the lock for a moment.
    #[test]
    #[cfg(unix)]
    fn a_lock_that_is_held_for_a_moment_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let held = File::create(folder.path().join("ledger")).unwrap();
        held.lock().unwrap();
        assert!(is_in_use(&folder.path().join("ledger")));
        let released = std::thread::spawn(move || (std::thread::sleep(LOCK_PATIENCE / 10), drop(held)));
        opened(&folder);
        released.join().unwrap();
    }

    /// The line that is written before the count names the kernel that was to count.
    #[test]
    fn a_unit_stands_below_a_run_with_the_route_that_counted_it() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = opened(&folder);
        ledger.begin(None, &counter(), Shard::WHOLE, 1, &Cancel::new()).unwrap();
        let (engine, planned) = (Engine::Backtrack, counter().kernel);
        let other = Engine::Backtrack.kernels().into_iter().find(|&kernel| kernel != planned).unwrap_or(planned);
        let routes = [(planned, false), (other, false), (planned, true)];
        let routes = routes.map(|(kernel, exchanged)| Route { engine, kernel, exchanged });
        recording(&mut ledger, &Cancel::new(), &(), |recorder| {
            recorder.begin();
            for (unit, route) in routes.into_iter().enumerate() {
                recorder.record(&UnitResult { partial: 0, route, ..result(unit) });
            }
        })
        .unwrap();
        let contents = crate::ledger::read(&ledger.path).unwrap();
        let recorded = contents.units.values().map(|(run, _)| contents.runs[*run].route(engine).unwrap());
        assert_eq!(recorded.collect::<Vec<_>>(), routes);
        // The time of the run is that of its last unit, and not that of each route.
        let last = contents.units[&2].1.at;
        assert!(last > 0.0 && (contents.seconds() - last).abs() < last * 1e-9);
    }

    /// Windows needs no such check, because the file is kept to this process.
    #[test]
    #[cfg(unix)]
    fn a_ledger_that_is_cut_or_extended_is_noticed_at_the_next_write_and_at_the_end() {
        for end in [0, 10, 23] {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join("ledger"), "{\"unit\":0}\n").unwrap();
            let mut ledger = opened(&folder);
            ledger.write("{\"unit\":1}\n").unwrap();
            File::options().write(true).open(&ledger.path).unwrap().set_len(end).unwrap();
            let said = format!("another program has changed it from 22 to {end} bytes");
            for error in [ledger.check_place().unwrap_err(), ledger.write("{}\n").unwrap_err()] {
                assert!(error.to_string().contains(&said), "{error}");
            }
            assert_eq!(ledger.file.metadata().unwrap().len(), end, "nothing is added that no header belongs to");
            // Without locks, a second process may have added its units.
            ledger.is_locked = false;
            assert_eq!(ledger.write("{}\n").is_ok(), end > 22);
        }
    }

    fn counter() -> Counter {
        let board = crate::board::Board::new(6).unwrap();
        crate::engine::Engine::ALL[0].prepare(board, &crate::engine::Settings::default(), &Cancel::new()).unwrap()
    }

    #[test]
    fn a_run_goes_on_with_a_ledger_of_its_count_only_and_after_whole_lines() {
        let folder = tempfile::tempdir().unwrap();
        let counter = counter();
        let header = encode(&Header::new(&counter.plan, Shard::WHOLE), "");
        let begin = |text: &str, shard| {
            fs::write(folder.path().join("ledger"), text).unwrap();
            let mut ledger = opened(&folder);
            let header = ledger.header(&Cancel::new())?;
            let found = ledger.begin(header, &counter, shard, 1, &Cancel::new())?;
            Ok((found, ledger.warnings().collect::<Vec<_>>()))
        };
        for text in [&header, header.trim_end()] {
            begin(text, Shard::WHOLE).unwrap();
            let contents = crate::ledger::read(folder.path().join("ledger")).unwrap();
            assert_eq!((contents.runs.len(), contents.damage), (1, None), "{text}");
        }
        assert!(matches!(begin(&header, Shard::new(0, 2).unwrap()), Err(LedgerError::Other { .. })));
        // A machine that went down has left a part of the first line.
        for part in [1, 20, header.len() - 3] {
            let (found, warnings) = begin(&header[..part], Shard::WHOLE).unwrap();
            assert!(found.is_none() && warnings[0].contains(" only a part of its first line"), "{part}: {warnings:?}");
            let contents = crate::ledger::read(folder.path().join("ledger")).unwrap();
            assert_eq!((contents.runs.len(), contents.damage), (1, None), "{part}");
        }
        assert_eq!(begin("", Shard::WHOLE).unwrap(), (None, Vec::new()));
        for other in ["{", "{}", "text"].map(|text| format!("{text}\n")) {
            assert!(matches!(begin(&other, Shard::WHOLE), Err(LedgerError::NotALedger { .. })), "{other}");
        }
        assert!(begin("text", Shard::WHOLE).is_err());
        // Without locks, another process may be writing the first line.
        fs::write(folder.path().join("ledger"), &header[..20]).unwrap();
        let mut unlocked = opened(&folder);
        unlocked.is_locked = false;
        assert!(unlocked.header(&Cancel::new()).is_err());
        assert!(unlocked.warnings().any(|warning| warning.contains("cannot be locked")));
    }

    #[test]
    fn work_that_panics_leaves_nobody_waiting() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = opened(&folder);
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            recording(&mut ledger, &Cancel::new(), &(), |recorder| {
                recorder.record(&result(0));
                panic!("as it must");
            })
        }));
        assert!(panicked.is_err());
        assert_eq!(fs::read_to_string(&ledger.path).unwrap().lines().count(), 1, "what was finished is kept");
    }
}
