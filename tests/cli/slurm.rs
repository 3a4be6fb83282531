//! Counts a board on a Slurm cluster as `examples/slurm.sh` says, although one task is killed and one is requeued.

use crate::cluster::Cluster;
use crate::common::{self, wait};
use nqueens::engine::{Engine, Settings};
use nqueens::run::{bytes_in_words, memory::most_shared};
use nqueens::{Board, Cancel};
use std::fs;
use std::path::Path;
use std::process::Output;

const TOP: &str = env!("CARGO_MANIFEST_DIR");

fn read(file: &str) -> String {
    fs::read_to_string(Path::new(TOP).join(file)).unwrap()
}

fn succeeded(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A program whose first tasks of shards 1 and 3 leave half of the units in their ledgers and go on for ever. The task
/// of shard 3 is killed when there is a file `go`.
const STUMBLING: &str = r#"
real=PROGRAM at=$0-$SLURM_ARRAY_TASK_ID
case $1-$SLURM_ARRAY_TASK_ID in count-1 | count-3) ;; *) exec $real "$@" ;; esac
mkdir "$at" 2> /dev/null || exec $real "$@"
$real "$@"
ledger=shard-$SLURM_ARRAY_TASK_ID.jsonl
half=$(head -n 4 "$ledger")
printf '%s\n' "$half" > "$ledger"
touch "$at/halfway"
until [ -e "$at/go" ]; do sleep 0.05; done
kill -9 $$
"#;

#[test]
fn a_killed_task_goes_on_when_it_is_submitted_again_and_a_requeued_one_by_itself() {
    let Some(cluster) = Cluster::start() else { return };
    let (dir, bin) = (cluster.path().join("14 queens"), cluster.path().join("bin"));
    fs::create_dir(&dir).unwrap();
    fs::create_dir(&bin).unwrap();
    let program = common::program(&bin, "nqueens", &STUMBLING.replace("PROGRAM", env!("CARGO_BIN_EXE_nqueens")));
    // The two lines of the file, for a smaller board, and for the one small node of the tests.
    let file = format!("{TOP}/examples/slurm.sh");
    let text = fs::read_to_string(&file).unwrap();
    let (_, lines) = text.split_once("#   job=").unwrap();
    let (lines, _) = lines.split_once("\n#\n").unwrap();
    let lines = format!("job={}; echo $job", lines.replace("\n#  ", "\n"))
        .replace("sbatch --", "sbatch --cpus-per-task=1 --mem=100M --")
        .replace("=0-63 slurm.sh 28 64", &format!("=0-3 {file} 14 4 --engine backtrack"));
    let submit = || {
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
        let mut bash = cluster.command("bash");
        succeeded(&bash.args(["-euc", &lines]).env("PATH", path).current_dir(&dir).output().unwrap())
    };
    let missing = || {
        let mut status = cluster.command(env!("CARGO_BIN_EXE_nqueens"));
        succeeded(&status.args(["status", "--missing", "--shards", "4"]).arg(&dir).output().unwrap())
    };
    let merged = || fs::read_to_string(dir.join("merge.log")).unwrap();

    let said = submit();
    let array = said.lines().last().unwrap();
    let of_task = |shard: u32, name: &str| Path::new(&format!("{program}-{shard}")).join(name);
    wait(|| "two tasks are halfway", || [1, 3].iter().all(|&shard| of_task(shard, "halfway").exists()));
    cluster.output("scontrol", &["requeue", &format!("{array}_1")]);
    fs::write(of_task(3, "go"), "").unwrap();
    cluster.wait_until_empty();
    assert_eq!(missing(), "3\n");
    assert!(merged().contains("error: ") && merged().contains("of shard 3 of 4"), "{}", merged());

    submit();
    cluster.wait_until_empty();
    assert_eq!(missing(), "");
    assert!(merged().contains("365596") || merged().contains("365,596"), "{}", merged());
}

/// The table of docs/cluster.md has what the program reserves for a thread, and what the examples ask for is enough with
/// all the tables that a shard may share.
#[test]
fn the_memory_that_is_asked_for_is_what_a_shard_needs() {
    let of_thread = |size: usize| {
        let board = Board::new(size).unwrap();
        Engine::TwoColor.prepare(board, &Settings::default(), &Cancel::new()).unwrap().scratch_bytes
    };
    let cells: Vec<String> = [20, 22, 24, 26, 27, 28].map(|size| bytes_in_words(of_thread(size))).into();
    let row = format!("| each thread | {} |", cells.join(" | "));
    assert!(read("docs/cluster.md").contains(&row), "docs/cluster.md lacks {row}");
    for (file, cpus, memory) in [
        ("examples/slurm.sh", "#SBATCH --cpus-per-task=", "#SBATCH --mem="),
        ("examples/kubernetes.yaml", "limits: {cpu: \"", "memory: "),
    ] {
        let text = read(file);
        let number_after = |mark: &str| {
            let (_, rest) = text.split_once(mark).unwrap();
            rest.split(|letter: char| !letter.is_ascii_digit()).next().unwrap().parse::<u64>().unwrap()
        };
        let (threads, asked) = (number_after(cpus), number_after(memory) << 30);
        let needed = threads * of_thread(28) + most_shared(threads as usize);
        assert!((needed..needed * 5 / 4).contains(&asked), "{file}: {asked} bytes for {needed}");
    }
}
