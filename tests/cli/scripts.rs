//! The scripts, their results and their errors.

use std::fs;
use std::process::{Command, Output};

fn reproduce_table(to: &str, published: &str) -> Output {
    Command::new("bash")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/reproduce-table.sh"))
        .arg(to)
        .env("NQUEENS_PROGRAM", env!("CARGO_BIN_EXE_nqueens"))
        .env("PUBLISHED", published)
        .output()
        .expect("bash is installed")
}

#[test]
fn scripts_are_executable_as_their_help_starts_them() {
    use std::os::unix::fs::PermissionsExt;
    for folder in ["scripts", "scripts/slurm", "scripts/release"] {
        for entry in fs::read_dir(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap() {
            let path = entry.unwrap().path();
            // What others include is not started.
            if path.extension().is_some_and(|end| end == "sh") && !path.ends_with("common.sh") {
                assert_eq!(path.metadata().unwrap().permissions().mode() & 0o111, 0o111, "{}", path.display());
            }
        }
    }
}

const PUBLISHED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/results/published.csv");

#[test]
fn the_table_is_reproduced() {
    let output = reproduce_table("12", PUBLISHED);
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{stdout}");
    assert!(stdout.ends_with("every total, fundamental and quarter-turn count is the published one\n"), "{stdout}");
}

#[test]
fn any_difference_from_the_published_table_fails_and_is_named() {
    let table = fs::read_to_string(PUBLISHED).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("published.csv");
    for (right, wrong, named) in [
        ("\n8,92,12,0\n", "\n8,93,12,0\n", "N = 8: total computed 92, published 93"),
        ("\n8,92,12,0\n", "\n8,92,13,0\n", "N = 8: fundamental computed 12, published 13"),
        ("\n12,14200,1787,8\n", "\n12,14200,1787,9\n", "N = 12: quarter_turn computed 8, published 9"),
        ("\n12,14200,1787,8\n", "\n", "N = 12: no published total"),
    ] {
        assert!(table.contains(right));
        fs::write(&file, table.replace(right, wrong)).unwrap();
        let output = reproduce_table("12", file.to_str().unwrap());
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{stdout}");
        assert!(stdout.contains(named), "{stdout}");
    }
}

#[test]
fn a_bad_argument_is_refused() {
    // There is no published count for N = 28.
    for to in ["many", "0", "28", "33", "100", "-1"] {
        let output = reproduce_table(to, PUBLISHED);
        assert_eq!(output.status.code(), Some(2), "{to}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("N from 1 to 27"), "{to}");
    }
}

/// The scripts that measure programs and pin them to CPUs.
#[cfg(target_os = "linux")]
mod measuring {
    use crate::common::needs::all_installed;
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;
    use std::process::{Command, Output, Stdio};
    use std::time::{Duration, Instant};
    use tempfile::TempDir;

    /// Returns a command that runs a script of this repository, with nothing in the environment but what the test sets.
    fn script(name: &str) -> Command {
        let mut command = Command::new("bash");
        command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts").join(name));
        command.env("NQUEENS_PROGRAM", env!("CARGO_BIN_EXE_nqueens")).env_remove("NQUEENS_BASE_PROGRAM");
        command
    }

    /// Creates a program from lines of shell script.
    fn program(directory: &TempDir, name: &str, lines: &str) -> String {
        let path = directory.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{lines}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn stdout(output: &Output) -> &str {
        std::str::from_utf8(&output.stdout).unwrap()
    }

    fn stderr(output: &Output) -> &str {
        std::str::from_utf8(&output.stderr).unwrap()
    }

    /// Asserts that the script refused its input in one line, before it did any work.
    fn assert_refused(output: &Output, with: &str) {
        assert_eq!(output.status.code(), Some(2), "{with}: {}", stderr(output));
        assert!(stderr(output).lines().count() == 1 && stderr(output).contains(with), "{with}: {}", stderr(output));
        assert_eq!(stdout(output), "", "{with}");
    }

    fn compare_peers(arguments: &[&str]) -> Output {
        script("compare-peers.sh").args(arguments).output().expect("bash is installed")
    }

    const COLUMNS: [&str; 11] = [
        "program",
        "machine",
        "threads",
        "board",
        "seconds",
        "fastest",
        "slowest",
        "cpu_seconds",
        "rounds",
        "times_ours",
        "source",
    ];

    /// Returns the rows of a table, each as a list of fields.
    fn rows(table: &str) -> Vec<Vec<String>> {
        assert!(table.starts_with(&(COLUMNS.join(",") + "\n")), "{table}");
        let mut reader = csv::Reader::from_reader(table.as_bytes());
        reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
    }

    /// Returns the program and the board of each row.
    fn timed(table: &str) -> Vec<(String, String)> {
        rows(table).into_iter().map(|row| (row[0].clone(), row[3].clone())).collect()
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|&(program, board)| (program.to_owned(), board.to_owned())).collect()
    }

    #[test]
    fn peers_are_timed_beside_this_program_and_those_that_count_wrong_are_named() {
        let directory = tempfile::tempdir().unwrap();
        let peer = |name: &str, lines: &str| format!("{name}={} {{N}}", program(&directory, name, lines));
        let right = peer("right", "[ $1 = 11 ] && echo 2680 || echo 14200");
        let commas = peer("commas", "[ $1 = 11 ] && echo 'N=11: 2,680.' || echo 'Solutions:14,200 in 0.3 s' >&2");
        let fields = peer("fields", "[ $1 = 11 ] && echo '11,2680,0.01' || echo \"12;14'200;0.01\"");
        // The output is right for the smaller board. For the larger one, it contains the digits, but not as a number of
        // its own.
        let wrong =
            peer("wrong", "[ $1 = 11 ] && echo 2680 || echo '142000 0.14200 x14200 -14200 1,014,200 14200.5 14,201'");
        let failing = peer("failing", "[ $1 = 11 ] && echo 2680 || { echo 14200; echo no more >&2; exit 3; }");
        // The name contains quotes and commas, which the table must escape.
        let odd = format!("odd, \"quoted\"={} {{N}}", directory.path().join("right").display());
        let peers = [right, commas, fields, wrong, failing, odd];
        let mut arguments = vec!["--boards", "12,11", "--rounds", "2"];
        arguments.extend(peers.iter().map(String::as_str));

        let output = compare_peers(&arguments);
        let (table, said) = (stdout(&output), stderr(&output));
        assert_eq!(output.status.code(), Some(1), "{said}");
        let good = ["nqueens", "nqueens backtrack", "nqueens scalar", "right", "commas", "fields", "odd, \"quoted\""];
        let expected: Vec<_> = ["11", "12"].iter().flat_map(|&board| good.map(|name| (name, board))).collect();
        assert_eq!(timed(table), pairs(&expected), "{said}");
        for row in rows(table) {
            let number = |column: &str| -> f64 {
                row[COLUMNS.iter().position(|&name| name == column).unwrap()].parse().unwrap()
            };
            assert!(0.0 < number("fastest") && number("fastest") <= number("seconds"), "{row:?}");
            assert!(number("seconds") <= number("slowest") && number("slowest") < 60.0, "{row:?}");
            assert!(number("cpu_seconds") >= 0.0 && number("times_ours") > 0.0, "{row:?}");
            assert_eq!((number("threads"), number("rounds")), (1.0, 2.0));
            assert!(row[0] != "nqueens" || row[9] == "1.000", "{row:?}");
            assert!(!row[1].is_empty(), "{row:?}");
            let source = &row[10];
            let command = "scripts/compare-peers.sh --boards 12,11 --rounds 2 --threads 1 --limit 60 'right=...'";
            assert!(source.starts_with("measured 20") && source.contains(command), "{source}");
            assert!(source.contains(concat!("nqueens ", env!("CARGO_PKG_VERSION"))), "{source}");
        }
        assert!(!table.contains(directory.path().to_str().unwrap()), "{table}");
        let wrong =
            "error: wrong: N = 12: did not print the published count, 14200; its last line: 142000 0.14200 x14200";
        assert!(said.contains(wrong), "{said}");
        assert!(said.contains("error: failing: N = 12: ended with exit code 3; its last line: 14200\n"), "{said}");
        assert_eq!(said.matches("error: ").count(), 2, "{said}");
    }

    #[test]
    fn programs_take_turns_on_the_same_cpu_and_every_other_round_goes_backwards() {
        let directory = tempfile::tempdir().unwrap();
        let log = directory.path().join("log");
        let note = |name: &str| {
            let lines =
                format!("echo {name} $(taskset -cp $$ | sed 's/.*: //') >> '{}'\necho $1 724", log.to_str().unwrap());
            format!("{name}={} --board={{N}}", program(&directory, name, &lines))
        };
        let (a, b) = (note("a"), note("b"));
        let table = directory.path().join("table.csv");
        let own = ["--own", "first=count {N} --threads 1", "--own", "second=count {N} --engine backtrack"];
        let boards = ["--boards", "10", "--rounds", "3", "--output", table.to_str().unwrap()];
        let output = compare_peers(&[&own[..], &boards[..], &[&a, &b]].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        assert_eq!(stdout(&output), "");
        let expected = pairs(&[("first", "10"), ("second", "10"), ("a", "10"), ("b", "10")]);
        assert_eq!(timed(&fs::read_to_string(&table).unwrap()), expected);
        let log = fs::read_to_string(log).unwrap();
        let (names, cpus): (Vec<_>, Vec<_>) = log.lines().map(|line| line.split_once(' ').unwrap()).unzip();
        assert_eq!(names, ["a", "b", "b", "a", "a", "b", "b", "a"]);
        assert!(cpus.iter().all(|&cpu| cpu == cpus[0] && cpu.parse::<usize>().is_ok()), "{cpus:?}");
    }

    #[test]
    fn a_program_that_takes_longer_than_the_limit_is_left_out_for_larger_boards() {
        let directory = tempfile::tempdir().unwrap();
        let slow =
            format!("slow={} {{N}}", program(&directory, "slow", "sleep 2.2\n[ $1 = 8 ] && echo 92 || echo 352"));
        let own = "own=count {N} --threads 1";
        let output = compare_peers(&["--boards", "8,9", "--rounds", "1", "--limit", "2", "--own", own, &slow]);
        assert!(output.status.success(), "{}", stderr(&output));
        assert_eq!(timed(stdout(&output)), pairs(&[("own", "8"), ("slow", "8"), ("own", "9")]), "{}", stderr(&output));
        assert!(stderr(&output).contains("slow: N = 8 took longer than 2 s; it is left out for larger boards"));
    }

    #[test]
    fn what_cannot_be_compared_is_refused_before_anything_runs() {
        let directory = tempfile::tempdir().unwrap();
        let ran = directory.path().join("ran");
        let peer = format!("peer={} {{N}}", program(&directory, "peer", &format!("touch '{}'", ran.display())));
        for (arguments, named) in [
            (&[][..], "NAME=COMMAND"),
            (&["peer"], "'peer' is not NAME=COMMAND"),
            (&["=true {N}"], "'=true {N}' is not NAME=COMMAND"),
            (&["peer=true"], "put {N} there"),
            (&["gone=/no/such/program {N}"], "gone: there is no program '/no/such/program'"),
            (&["--own", "own=count 8"], "put {N} there"),
            (&["nqueens=true {N}"], "two programs have the name 'nqueens'"),
            (&["--boards", "28"], "no count is published for N = 28"),
            (&["--boards", "8,0"], "no count is published for N = 0"),
            (&["--boards", "8;9"], "--boards 8;9"),
            (&["--rounds", "0"], "--rounds 0"),
            (&["--threads", "many"], "--threads many"),
            (&["--threads", "9999"], "--threads 9999"),
            (&["--limit", "-1"], "--limit -1"),
            (&["--faster"], "unknown option '--faster'"),
            (&["--boards"], "--boards needs a value"),
            (&["--output", "/no/such/directory/table.csv"], "/no/such/directory/table.csv: cannot be written"),
        ] {
            let last = arguments.last() == Some(&"--boards");
            let with_peer =
                if last || arguments.is_empty() { arguments.to_vec() } else { [&[&*peer], arguments].concat() };
            assert_refused(&compare_peers(&with_peer), named);
        }
        let output = script("compare-peers.sh").arg(&peer).env("NQUEENS_PROGRAM", "/no/such/nqueens").output().unwrap();
        assert_refused(&output, "there is no program '/no/such/nqueens'");
        assert!(!ran.exists());
    }

    #[test]
    fn a_comparison_that_is_ended_leaves_no_process_and_no_file() {
        let directory = tempfile::tempdir().unwrap();
        let place = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
        let (begun, table, temporary) = (place("begun"), place("table.csv"), place("temporary"));
        fs::create_dir(&temporary).unwrap();
        let lines = format!("sleep 60 &\necho $! > '{begun}.new'\nmv '{begun}.new' '{begun}'\nwait");
        let peer = format!("peer={} {{N}}", program(&directory, "peer", &lines));
        let mut command = script("compare-peers.sh");
        command.args(["--boards", "8", "--output", &table, &peer]).env("TMPDIR", &temporary);
        let mut comparison = command.stderr(Stdio::null()).spawn().unwrap();

        let patience = Instant::now();
        let waits = |what: &str| {
            assert!(patience.elapsed() < Duration::from_secs(60), "{what}");
            std::thread::sleep(Duration::from_millis(20));
        };
        let sleeper: i32 = loop {
            match fs::read_to_string(&begun) {
                Ok(number) => break number.trim().parse().unwrap(),
                Err(_) => waits("the peer does not begin"),
            }
        };
        kill(Pid::from_raw(comparison.id().cast_signed()), Signal::SIGTERM).unwrap();
        assert_eq!(comparison.wait().unwrap().code(), Some(128 + Signal::SIGTERM as i32));
        while kill(Pid::from_raw(sleeper), None).is_ok() {
            waits("the peer's child is still there");
        }
        assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
        assert!(!Path::new(&table).exists());
    }

    #[test]
    fn the_scalar_kernel_is_compared_with_plain_c() {
        let output = script("compare-c.sh").args(["9", "1"]).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        let expected = pairs(&[("scalar kernel", "9"), ("C, recursive", "9"), ("C, iterative", "9")]);
        assert_eq!(timed(stdout(&output)), expected);
        for arguments in [&["1"][..], &["28"], &["many"], &["9", "0"], &["9", "1", "0"]] {
            assert_refused(&script("compare-c.sh").args(arguments).output().unwrap(), "N from 2 to 27");
        }
    }

    /// A comparison with another revision, between two programs with invented times. A job is identified by words that
    /// only its command line contains.
    struct Regression {
        directory: TempDir,
        base: String,
        new: String,
    }

    impl Regression {
        /// Creates two programs from shell lines that run for each count. `$*` is the command line and `$nth` the
        /// number of earlier calls with it. The lines may set `seconds` and `total`, or exit.
        fn new(base: &str, new: &str) -> Self {
            let directory = tempfile::tempdir().unwrap();
            let make = |name: &str, lines: &str| {
                let here = directory.path().to_str().unwrap();
                let fake = format!(
                    "asked='{here}/{name}.'$(echo \"$*\" | tr -c 'a-z0-9\\n' _)\n\
                     nth=$(cat \"$asked\" 2> /dev/null || echo 0)\n\
                     echo $((nth + 1)) > \"$asked\"\n\
                     echo {name} \"$*\" >> '{here}/log'\n\
                     seconds=0.100 total=92\n\
                     {lines}\n\
                     echo 'board,cpu,total,units,seconds,kernel'\n\
                     echo \"8,\\\"a CPU, seconds,\\\",$total,7,$seconds,scalar\""
                );
                program(&directory, name, &fake)
            };
            let (base, new) = (make("base", base), make("new", new));
            Self { directory, base, new }
        }

        /// Compares the programs with one pair in each round, after one pair to warm up.
        fn run(&self) -> Output {
            let mut command = script("bench-regression.sh");
            command.args(["other", "1"]).env("NQUEENS_BASE_PROGRAM", &self.base).env("NQUEENS_PROGRAM", &self.new);
            command.output().unwrap()
        }

        fn log(&self) -> String {
            fs::read_to_string(self.directory.path().join("log")).unwrap()
        }
    }

    /// Returns the line of the table for a job.
    fn line_of<'a>(output: &'a Output, job: &str) -> &'a str {
        let mut lines = stdout(output).lines().filter(|line| line.contains(job));
        let line = lines.next().unwrap_or_else(|| panic!("no {job} in {}", stdout(output)));
        assert_eq!(lines.next(), None, "{job}");
        line
    }

    const SCALAR: &str = "--kernel scalar --threads 1";

    #[test]
    fn a_count_that_is_slower_in_three_rounds_is_found() {
        if !all_installed(&["git"]) {
            return;
        }
        let same = Regression::new("", "").run();
        assert!(same.status.success(), "{}", stderr(&same));
        let lines: Vec<_> = stdout(&same).lines().collect();
        assert!(
            lines[0].starts_with("count ") && lines[0].ends_with("base s      new s   ratio  verdict"),
            "{lines:?}"
        );
        assert!(lines.len() > 6 && lines[1..].iter().all(|line| line.ends_with("0.1000     0.1000   1.000  alike")));

        // Every second count of a job is measured, the others warm up.
        let slow =
            |rounds: u32| format!("case \"$*\" in *'{SCALAR}'*) [ $nth -ge {} ] || seconds=0.106 ;; esac", 2 * rounds);
        for (rounds, asked) in [(1, 4), (2, 6)] {
            let comparison = Regression::new("", &slow(rounds));
            let output = comparison.run();
            assert!(output.status.success(), "{rounds}: {}", stderr(&output));
            assert!(line_of(&output, SCALAR).ends_with(&format!("not slower in round {}", rounds + 1)));
            // The other jobs are not tried again.
            let count = |job: &str| comparison.log().matches(&format!("new count 1{job}")).count();
            assert_eq!(
                (count("5 --engine backtrack --kernel scalar"), count("8 --engine two-color --kernel avx2")),
                (asked, 2)
            );
        }
        let comparison = Regression::new("", &slow(3));
        let output = comparison.run();
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        assert!(line_of(&output, SCALAR).ends_with("0.1000     0.1060   1.060  SLOWER"), "{}", stdout(&output));
        assert_eq!(stdout(&output).matches("SLOWER").count(), 1);
        let log = comparison.log();
        let turns: Vec<_> = log.lines().filter(|line| line.contains(SCALAR)).map(|line| &line[..4]).collect();
        assert_eq!(turns, ["base", "new ", "new ", "base"].repeat(3));

        // Two builds of the same code may differ by five percent.
        let little = Regression::new("", "seconds=0.105").run();
        assert!(little.status.success() && !stdout(&little).contains("round"), "{}", stdout(&little));
        let faster = Regression::new("", "seconds=0.090").run();
        assert!(faster.status.success() && line_of(&faster, SCALAR).ends_with("0.900  faster, in one round"));
    }

    #[test]
    fn a_count_that_only_one_program_can_do_is_left_out_or_fails() {
        if !all_installed(&["git"]) {
            return;
        }
        let refusing = |job: &str| format!("case \"$*\" in *'{job}'*) echo 'error: no' >&2; exit 2 ;; esac");
        let avx512 = "17 --engine backtrack --kernel avx512";
        let output = Regression::new(&(refusing("avx512") + "\n" + &refusing(SCALAR)), &refusing(avx512)).run();
        assert!(output.status.success(), "{}", stderr(&output));
        assert!(line_of(&output, SCALAR).ends_with("left out: new, not in other"), "{}", stdout(&output));
        assert!(line_of(&output, avx512).ends_with("left out: not on this CPU"), "{}", stdout(&output));

        let output = Regression::new("", &refusing(SCALAR)).run();
        assert_eq!(output.status.code(), Some(1));
        assert!(line_of(&output, SCALAR).ends_with("FAILS"), "{}", stdout(&output));
        assert!(stderr(&output).contains("new ended with exit code 2: error: no\n"), "{}", stderr(&output));
        let output = Regression::new("case \"$*\" in *avx2*) exit 1 ;; esac", "").run();
        assert_eq!((output.status.code(), stdout(&output).matches("FAILS").count()), (Some(1), 2));
        let output = Regression::new("", "seconds=").run();
        assert!(output.status.code() == Some(1) && stderr(&output).contains("no total or no seconds"));
    }

    #[test]
    fn counts_that_differ_are_found_however_fast_they_are() {
        if !all_installed(&["git"]) {
            return;
        }
        let output = Regression::new("", &format!("case \"$*\" in *'{SCALAR}'*) total=93 seconds=0.01 ;; esac")).run();
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        assert!(line_of(&output, SCALAR).ends_with("DIFFERS"), "{}", stdout(&output));
        assert_eq!(stdout(&output).matches("DIFFERS").count(), 1);
    }

    #[test]
    fn what_is_no_revision_is_refused() {
        if !all_installed(&["git"]) {
            return;
        }
        let bench_regression = |arguments: &[&str]| script("bench-regression.sh").args(arguments).output().unwrap();
        for arguments in [&[][..], &["HEAD", "1", "2"], &["HEAD", "0"], &["HEAD", "many"]] {
            assert_refused(&bench_regression(arguments), "usage: bash scripts/bench-regression.sh BASE [PAIRS]");
        }
        for revision in ["no-such-revision", "--all", ""] {
            assert_refused(&bench_regression(&[revision]), &format!("there is no revision '{revision}'"));
        }
        let output =
            script("bench-regression.sh").arg("other").env("NQUEENS_BASE_PROGRAM", "/no/such").output().unwrap();
        assert_refused(&output, "there is no program '/no/such'");
    }
}
