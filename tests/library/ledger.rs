//! Ledgers: after any fault of the process or the file, the total is right or an error describes the problem.

use crate::forge;
use nqueens::engine::{Engine, Kernel, PrepareError, Settings};
use nqueens::ledger::{Contents, LedgerError, MergeError, Run, is_ledger, merge, read};
use nqueens::{Board, Cancel, Count, Job, Observer, RunError, Shard};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Returns a job with N = 10 and 182 units.
fn job(threads: usize, kernel: Kernel) -> Job {
    job_of(10).kernel(kernel).threads(threads)
}

fn job_of(size: usize) -> Job {
    Job::new(Board::new(size).unwrap()).engine(Engine::Backtrack).split_rows(3)
}

const TOTAL: u128 = 724;

/// The state in which a run found its ledger, and its finished count.
struct UnitRecord {
    found: Option<Contents>,
    warnings: Vec<String>,
    counted: Option<Count>,
}

fn record(job: &Job, path: &Path, shard: Shard) -> Result<UnitRecord, LedgerError> {
    let run = Run::open(job, path, shard, &Cancel::new())?;
    let (found, warnings) = (run.found().cloned(), Warnings::default());
    let counted = run.count(&Cancel::new(), &warnings)?;
    Ok(UnitRecord { found, warnings: warnings.0.into_inner().unwrap(), counted })
}

/// An observer that keeps what it is warned of.
#[derive(Default)]
struct Warnings(Mutex<Vec<String>>);

impl Observer for Warnings {
    fn warning(&self, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }
}

fn count(path: &Path) -> Result<UnitRecord, LedgerError> {
    record(&job(1, Kernel::Scalar), path, Shard::WHOLE)
}

fn total(recorded: &UnitRecord) -> u128 {
    recorded.counted.as_ref().expect("the whole plan was counted").total
}

/// Returns a folder with the ledger of a finished count, the path of the ledger, and its contents.
fn finished() -> (tempfile::TempDir, PathBuf, Vec<u8>) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ledger.jsonl");
    assert_eq!(total(&count(&path).unwrap()), TOTAL);
    let bytes = fs::read(&path).unwrap();
    (dir, path, bytes)
}

fn units_found(recorded: &UnitRecord) -> usize {
    recorded.found.as_ref().map_or(0, |contents| contents.units.len())
}

#[test]
fn a_new_ledger_has_one_plan_whatever_the_kernel_and_the_threads() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ledger.jsonl");
    let kernels: Vec<Kernel> = Kernel::ALL.iter().copied().filter(|kernel| kernel.is_supported()).collect();
    for (size, shard) in (1..=20).flat_map(|size| ["0/1", "1/64"].map(|shard| (size, shard.parse().unwrap()))) {
        let mut plans = Vec::new();
        for (threads, kernel) in [1, 3].into_iter().flat_map(|t| kernels.iter().map(move |&kernel| (t, kernel))) {
            let job = Job::new(Board::new(size).unwrap()).kernel(kernel).threads(threads);
            match Run::open(&job, &path, shard, &Cancel::new()) {
                Ok(run) => {
                    let plan = run.prepared().plan();
                    plans.push((plan.engine(), plan.name().to_owned(), plan.fingerprint()));
                }
                Err(error) => {
                    let lacks = PrepareError::Kernel {
                        engine: Engine::TwoColor,
                        kernel,
                        available: Engine::TwoColor.kernels(),
                    };
                    assert!(matches!(error, LedgerError::Run(RunError::Prepare(error)) if error == lacks));
                    assert!(kernel == Kernel::Scalar && size >= 16, "N = {size}");
                }
            }
            let _ = fs::remove_file(&path);
        }
        plans.dedup();
        assert_eq!(plans.len(), 1, "N = {size}, shard {shard}: {plans:?}");
    }
}

#[test]
fn a_ledger_has_every_unit_once_and_is_not_counted_again() {
    let (_dir, path, bytes) = finished();
    let contents = read(&path).unwrap();
    assert!(contents.is_complete() && contents.damage.is_none());
    assert_eq!((contents.units.len(), contents.runs.len()), (182, 1));
    assert_eq!(String::from_utf8(bytes).unwrap().lines().count(), 1 + 1 + 182);
    let again = count(&path).unwrap();
    assert_eq!((total(&again), units_found(&again)), (TOTAL, 182));
    // The time is the sum of all runs, and the threads are the most of any run.
    fs::remove_file(&path).unwrap();
    record(&job(3, Kernel::Scalar), &path, Shard::WHOLE).unwrap();
    let bytes = fs::read(&path).unwrap();
    assert_eq!(count(&path).unwrap().counted.map(|count| count.threads), Some(3));
    assert_eq!(fs::read(&path).unwrap(), bytes, "a finished ledger stays as it is");
}

#[test]
fn a_ledger_is_finished_with_other_threads_and_another_kernel() {
    let (_dir, path, bytes) = finished();
    let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    for (kept, given, threads) in [(2, 7, 7), (50, 7, 7), (150, 2, 2), (183, 7, 1)] {
        fs::write(&path, lines[..kept].concat()).unwrap();
        let recorded = record(&job(given, Kernel::Portable), &path, Shard::WHOLE).unwrap();
        assert_eq!((total(&recorded), units_found(&recorded)), (TOTAL, kept - 2));
        let contents = read(&path).unwrap();
        let last = contents.runs.last().unwrap();
        assert_eq!((contents.units.len(), last.threads, &*last.kernel), (182, threads, "portable"));
    }
}

/// The header of a new ledger of the same count can replace an unreadable header, and no unit is lost.
#[test]
fn a_ledger_with_a_damaged_header_is_left_alone_unless_it_has_nothing_else() {
    let (dir, path, bytes) = finished();
    let header = bytes.iter().position(|&byte| byte == b'\n').unwrap();
    let refused = |damaged: &[u8]| {
        fs::write(&path, damaged).unwrap();
        let is_refused = |error| matches!(error, Some(LedgerError::NotALedger { .. }));
        assert!(is_refused(count(&path).err()) && is_refused(read(&path).err()));
        assert_eq!(fs::read(&path).unwrap(), damaged);
        assert!(damaged.len() < 30 || is_ledger(&path), "no output takes its place");
    };
    for at in (0..=header).step_by(5).chain([header]) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        refused(&damaged);
        fs::write(&path, &bytes[..at.clamp(1, header - 1)]).unwrap();
        assert!(read(&path).is_err());
        let recorded = count(&path).unwrap();
        assert!(recorded.found.is_none() && total(&recorded) == TOTAL);
        assert!(recorded.warnings[0].ends_with("only a part of its first line; the count begins anew there"));
    }
    refused(&bytes[header + 1..]);
    let new = dir.path().join("new.jsonl");
    count(&new).unwrap();
    let new = fs::read(new).unwrap();
    let first = new.split_inclusive(|&byte| byte == b'\n').next().unwrap();
    fs::write(&path, [first, &bytes[header + 1..]].concat()).unwrap();
    let recorded = count(&path).unwrap();
    assert_eq!((total(&recorded), units_found(&recorded)), (TOTAL, 182));
}

#[test]
fn a_file_that_is_no_ledger_is_refused_with_the_reason_and_left_alone() {
    let (dir, path, bytes) = finished();
    let text = String::from_utf8(bytes).unwrap();
    let text = &*text;
    let wide = |times| format!("\u{feff}{}", text.repeat(times)).encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mut tar = vec![0; 512];
    tar[..7].copy_from_slice(b"0.jsonl");
    tar[257..262].copy_from_slice(b"ustar");
    tar.extend(text.bytes());
    let (damaged, replaceable) = ("its first line is damaged or missing", "the same count with a new file begins with");
    for (bytes, part) in [
        (wide(1), "or it is not in UTF-8"),
        (wide(3000), "or it is not in UTF-8"),
        ([b"\x28\xB5\x2F\xFD", &vec![0xAA; 20 << 20][..]].concat(), "compressed with gzip"),
        // A count could use the lines in this archive, and must not add to it.
        (tar.clone(), damaged),
        (forge::gzip(tar), damaged),
        (text.replace('\n', ",\n").into(), damaged),
        (text.replace('\n', "").into(), damaged),
        (format!("{}\n", &text[..60]).into(), damaged),
        (text.split_once('\n').unwrap().1.into(), replaceable),
        (text.replacen("nqueens", "nquoins", 1).into(), replaceable),
        (b"\n  <html>\n".to_vec(), "it has no header"),
        (b"{\"schema\":\"nqueens/count/1\"}\n".to_vec(), "it has no header"),
        ("\u{e9}".repeat(5000).into(), "it has no header"),
        (b"\x7FELF\x02\x01\x01\x00\x00".to_vec(), "it has no header"),
        (vec![0; 100_000], "it has no header"),
    ] {
        fs::write(&path, &bytes).unwrap();
        let [read, counted] = [read(&path).err(), count(&path).err()].map(|error| error.expect("it is refused"));
        assert!(matches!(read, LedgerError::NotALedger { .. }) && read.to_string().contains(part), "{part}: {read}");
        let is_archive = bytes.starts_with(b"\x1F\x8B") && counted.to_string().contains("is an archive");
        assert!(counted.to_string().contains(part) || is_archive, "{part}: {counted}");
        assert!(fs::read(&path).unwrap() == bytes, "{part}: it is left alone");
    }
    for path in [
        dir.path(),
        #[cfg(unix)]
        Path::new("/dev/null"),
    ] {
        for error in [read(path).err(), count(path).err()] {
            assert!(error.expect("it is refused").to_string().contains("it is not a regular file"));
        }
    }
    // To open this file would block.
    #[cfg(unix)]
    {
        fs::remove_file(&path).unwrap();
        nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let refused = [read(&path).err(), count(&path).err()].map(|error| error.expect("it is refused").to_string());
        assert!(refused.iter().all(|error| error.contains("it is not a regular file")), "{refused:?}");
    }
}

/// A header with a valid CRC can contain anything, so the plan is made again. Only the version that wrote a ledger can
/// read it, and another program may write the same header with other spaces.
#[test]
fn a_plan_that_this_library_does_not_make_is_refused_and_left_alone() {
    let (_dir, path, bytes) = finished();
    for (field, change) in [
        ("\"plan\":\"mirror-3\"", "\"plan\":\"none\""),
        ("\"engine\":\"backtrack\"", "\"engine\":\"three-color\""),
        ("\"units\":182", "\"units\":268435456"),
        ("\"divisor\":", "\"divisor\":3"),
        ("\"board\":10", "\"board\":28"),
        ("\"fingerprint\":\"", "\"fingerprint\":\"0"),
        ("\"schema\":\"nqueens/ledger/3", "\"schema\": \"nqueens/ledger/1"),
        ("\"schema\":\"nqueens/ledger/3", "\"schema\": \"nqueens\\/ledger\\/4"),
        ("\"schema\":\"nqueens/ledger/3", "\"schema\": \""),
    ] {
        fs::write(&path, &bytes).unwrap();
        forge::forge(&path, |number, object| {
            let changed = object.replacen(field, change, 1);
            assert!(number > 1 || changed != object, "{field} is in {object}");
            Some(changed)
        });
        let before = fs::read(&path).unwrap();
        let merged = read(&path).map_err(|error| error.to_string());
        let merged = merged.and_then(|contents| merge(&[contents]).map_err(|error| error.to_string()));
        let refused =
            [merged.err(), count(&path).err().map(|error| error.to_string())].map(|error| error.expect(change));
        let has_version = |error: &String| error.contains("this program knows nqueens/ledger/3");
        assert!(!field.contains("schema") || refused.iter().all(has_version), "{change}: {refused:?}");
        assert_eq!(fs::read(&path).unwrap(), before, "{change}");
    }
}

/// Ledgers of version 0.2.0 are read, continued, and added up.
#[test]
fn ledgers_of_version_0_2_0_are_ours() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/0.2.0");
    let dir = tempfile::tempdir().unwrap();
    for (names, size, total) in [(vec!["whole"], 9, 352), (vec!["shard-0-of-2", "shard-1-of-2"], 12, 14_200)] {
        let mut ledgers = Vec::new();
        for (index, name) in names.iter().enumerate() {
            let path = dir.path().join(name);
            let text = fs::read_to_string(data.join(format!("{name}.jsonl"))).unwrap();
            let half = text.split_inclusive('\n').take(5).collect::<String>();
            fs::write(&path, &half).unwrap();
            let job = Job::new(Board::new(size).unwrap());
            let shard = Shard::new(index, names.len()).unwrap();
            assert_eq!(units_found(&record(&job, &path, shard).unwrap()), 3);
            assert!(fs::read_to_string(&path).unwrap().starts_with(&half));
            let (old, new) = (read(data.join(format!("{name}.jsonl"))).unwrap(), read(&path).unwrap());
            assert!(old.is_complete() && new.is_complete());
            ledgers.extend([old, new]);
        }
        assert_eq!(merge(&ledgers).unwrap().total, total);
    }
}

/// A ledger may be cut off anywhere in its last 200 bytes. The whole lines are kept, and the other units are counted
/// again.
#[test]
fn a_ledger_that_was_cut_off_anywhere_is_finished() {
    let (_dir, path, bytes) = finished();
    for length in (bytes.len() - 200..bytes.len()).chain([0]) {
        fs::write(&path, &bytes[..length]).unwrap();
        let recorded = count(&path).unwrap();
        assert_eq!(total(&recorded), TOTAL, "{length} of {}", bytes.len());
        assert!(length == 0 || units_found(&recorded) >= 178, "{length}");
        let contents = read(&path).unwrap();
        assert!(contents.is_complete(), "{length}");
        assert!(contents.damage.is_none_or(|damage| damage.lines == 1), "{length}: nothing is lost with the torn line");
    }
}

#[test]
fn the_ledger_of_another_count_is_refused_and_left_alone() {
    let (_dir, path, bytes) = finished();
    let other_plan = Settings { split_rows: Some(2), ..Settings::default() };
    for (other, shard) in [
        (job_of(11), Shard::WHOLE),
        (job(1, Kernel::Scalar).settings(other_plan), Shard::WHOLE),
        (Job::new(Board::new(10).unwrap()).engine(Engine::TwoColor), Shard::WHOLE),
        (job(1, Kernel::Scalar), Shard::new(1, 2).unwrap()),
    ] {
        let error = record(&other, &path, shard).err().expect("it is refused");
        assert!(matches!(error, LedgerError::Other { .. }), "{error}");
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
}

#[test]
fn a_ledger_that_a_count_of_this_process_has_is_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("10.jsonl");
    let run = Run::open(&job(2, Kernel::Scalar), &path, Shard::WHOLE, &Cancel::new()).unwrap();
    let process = format!("process {} on ", std::process::id());
    assert!(matches!(count(&path), Err(LedgerError::InUse { owner, .. }) if owner.starts_with(&process)));
    let counted = run.count(&Cancel::new(), &()).unwrap().unwrap();
    assert_eq!(units_found(&count(&path).unwrap()), counted.units, "it is free again");
}

#[test]
fn a_refused_count_leaves_no_empty_ledger_behind() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ledger.jsonl");
    for was_there in [false, true] {
        if was_there {
            fs::write(&path, "").unwrap();
        }
        let refused = record(&job_of(10).split_rows(9), &path, Shard::WHOLE);
        assert!(matches!(refused, Err(LedgerError::Run(RunError::Prepare(_)))));
        assert!(!path.exists(), "an empty file tells nothing, whoever made it");
    }
}

/// Returns a folder with the ledgers of all shards of a count.
fn shards(count: usize) -> (tempfile::TempDir, Vec<PathBuf>) {
    let dir = tempfile::tempdir().unwrap();
    let path = |index: usize| dir.path().join(format!("{index}.jsonl"));
    let mut all = 0;
    for index in 0..count {
        let shard = Shard::new(index, count).unwrap();
        let recorded = record(&job(2, Kernel::Scalar), &path(index), shard).unwrap();
        assert_eq!(recorded.counted, None, "a shard is not the whole");
        all += read(path(index)).unwrap().units.len();
    }
    assert_eq!(all, 182, "the shards are the whole");
    let paths = (0..count).map(path).collect();
    (dir, paths)
}

#[test]
fn shards_add_up_however_many_there_are() {
    for count in [1, 2, 7, 182, 200] {
        let (_dir, paths) = if count == 1 {
            let (dir, path, _) = finished();
            (dir, vec![path])
        } else {
            shards(count)
        };
        let ledgers: Vec<_> = paths.iter().map(|path| read(path).unwrap()).collect();
        let merged = merge(&ledgers).unwrap();
        assert_eq!((merged.total, merged.units, merged.shards), (TOTAL, 182, count));
        let lines = || ledgers.iter().flat_map(|ledger| ledger.units.values()).map(|(_, line)| line);
        // CPU time is used if it is recorded, because a busy machine takes longer on the clock.
        let core_seconds: f64 = lines().map(|line| line.cpu_seconds.unwrap_or(line.seconds)).sum();
        assert!((merged.core_seconds - core_seconds).abs() < 1e-9 && core_seconds > 0.0);
        // A ledger given twice adds nothing.
        let twice: Vec<_> = ledgers.iter().chain(&ledgers).cloned().collect();
        let again = merge(&twice).unwrap();
        assert_eq!(again.total, TOTAL);
        assert!((again.core_seconds - merged.core_seconds).abs() < 1e-9);
    }
}

/// The line has a valid CRC but an odd partial count. In this plan each partial count is even.
#[test]
fn an_impossible_partial_count_is_damage_and_is_counted_again() {
    let (_dir, path, _) = finished();
    forge::forge(&path, |number, object| {
        let odd = object.replacen("\",\"work\"", "1\",\"work\"", 1);
        Some(if number == 9 { odd } else { object.to_owned() })
    });
    let contents = read(&path).unwrap();
    let damage = contents.damage.clone().expect("it is impossible");
    assert_eq!((damage.line, damage.lines, contents.units.len()), (9, 1, 181));
    assert!(damage.reason.ends_with("1, which is not a multiple of 2"), "{}", damage.reason);
    assert!(matches!(merge(&[contents]), Err(MergeError::Missing { missing: 1, .. })));
    for units in [181, 182] {
        let recorded = count(&path).unwrap();
        assert_eq!((total(&recorded), units_found(&recorded)), (TOTAL, units));
    }
    assert_eq!(merge(&[read(&path).unwrap()]).unwrap().total, TOTAL);
}
