//! Counts a board in two shards, like two machines, and adds them up: `cargo run --release --example ledger`.

use nqueens::{Board, Cancel, Job, Shard, ledger};
use std::error::Error;

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let (job, cancel) = (Job::new(Board::new(12)?), Cancel::new());
    let folder = std::env::temp_dir().join(format!("nqueens-shards-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let mut ledgers = Vec::new();
    for index in 0..2 {
        let shard = Shard::new(index, 2).expect("there are two");
        let path = folder.join(format!("{index}.jsonl"));
        // If the process is killed, the same call goes on after the units in the file.
        ledger::Run::open(&job, &path, shard, &cancel)?.count(&cancel, &())?;
        let counted = ledger::read(&path)?;
        println!("shard {shard}: {} units", counted.units.len());
        ledgers.push(counted);
    }
    println!("{} solutions", ledger::merge(&ledgers)?.total);
    Ok(std::fs::remove_dir_all(&folder)?)
}
