//! The files for clusters: `examples/slurm.sh` and `examples/kubernetes.yaml`.

use crate::common::{self, needs::all_installed};
use nqueens::engine::{Engine, Settings};
use nqueens::machine::{bytes_in_words, most_shared};
use nqueens::{Board, Cancel};
use std::fs;
use std::path::Path;

const TOP: &str = env!("CARGO_MANIFEST_DIR");

fn read(file: &str) -> String {
    fs::read_to_string(Path::new(TOP).join(file)).unwrap()
}

/// Stands for Slurm: runs the tasks of an array one after the other, of which shard 3 fails if there is a file `fail`,
/// and then the command that waits for them.
const SBATCH: &str = r#"
case $1 in
    --parsable)
        shift 2
        for shard in 0 1 2 3; do
            [ $shard = 3 ] && [ -e fail ] || SLURM_ARRAY_TASK_ID=$shard bash "$@" > "shard-$shard.log" 2>&1
        done
        echo 7 ;;
    --dependency=afterany:7) bash -c "${3#--wrap=}" > "${2#--output=}" 2>&1 || true ;;
esac
"#;

/// Returns the two lines of the file, for a smaller board.
fn lines() -> String {
    let text = read("examples/slurm.sh");
    let (_, lines) = text.split_once("#   job=").unwrap();
    let (lines, _) = lines.split_once("\n#\n").unwrap();
    format!("job={}", lines.replace("\n#  ", "\n"))
        .replace("=0-63 slurm.sh 28 64", &format!("=0-3 {TOP}/examples/slurm.sh 14 4 --engine backtrack"))
}

/// The lines are given again after a shard has failed.
#[test]
fn the_two_lines_of_the_example_count_all_shards_and_what_is_missing_after_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let (dir, bin) = (folder.path().join("14 queens"), folder.path().join("bin"));
    for folder in [&dir, &bin] {
        fs::create_dir(folder).unwrap();
    }
    common::program(&bin, "sbatch", SBATCH);
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_nqueens"), bin.join("nqueens")).unwrap();
    let lines = lines();
    let merged = || {
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
        let output = common::command("bash").args(["-euc", &lines]).env("PATH", path).current_dir(&dir).output();
        assert!(output.as_ref().unwrap().status.success(), "{output:?}");
        fs::read_to_string(dir.join("merge.log")).unwrap()
    };
    fs::write(dir.join("fail"), "").unwrap();
    let said = merged();
    assert!(said.contains("error: ") && said.contains("of shard 3 of 4"), "{said}");
    fs::remove_file(dir.join("fail")).unwrap();
    let said = merged();
    assert!(said.contains("365596"), "{said}");
    assert!(fs::read_to_string(dir.join("shard-0.log")).unwrap().contains(" are finished, 100% "), "it ends at once");
}

/// A real Slurm takes the two lines too. Its node is small, so a task gets one CPU.
#[test]
#[ignore = "slow"]
fn a_cluster_counts_by_the_two_lines_of_the_example() {
    if !all_installed(&["munged", "slurmctld", "slurmd", "sbatch"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (slurm, dir) = (folder.path().join("slurm"), folder.path().join("14 queens"));
    for folder in [&slurm, &dir] {
        fs::create_dir(folder).unwrap();
    }
    let lines = lines().replace("sbatch --", "sbatch --cpus-per-task=1 --mem=100M --");
    let mut bash = common::command("bash");
    bash.arg(format!("{TOP}/tests/common/slurm.sh")).arg(slurm).args(["bash", "-euc", &lines]).current_dir(&dir);
    let path = Path::new(env!("CARGO_BIN_EXE_nqueens")).parent().unwrap().display().to_string();
    let output = bash.env("PATH", format!("{path}:{}", std::env::var("PATH").unwrap())).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let merged = fs::read_to_string(dir.join("merge.log")).unwrap();
    assert!(merged.contains("365596"), "{merged}");
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
