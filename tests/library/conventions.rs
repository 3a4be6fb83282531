//! Checks what the whole library does alike: how values are made, and how long calls are observed and stopped.

use nqueens::{Board, Cancel, Engine, InputError, Job, Observer, RunError, Setup, Shard, Solution};
use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

fn board(size: usize) -> Board {
    Board::new(size).unwrap()
}

#[test]
fn every_long_call_tells_its_share_and_can_be_stopped_then() {
    let stops = |name: &str, call: &dyn Fn(&Cancel, &dyn Observer) -> Option<RunError>| {
        let (cancel, told) = (Cancel::new(), AtomicUsize::new(0));
        let observer = |share: f64| {
            assert!((0.0..1.0).contains(&share), "{share}");
            told.fetch_add(1, Ordering::Relaxed);
            cancel.cancel();
        };
        let stopped = call(&cancel, &observer);
        assert!(matches!(stopped, Some(RunError::Cancelled { .. })), "{name}: {stopped:?}");
        assert_eq!(told.into_inner(), 1, "{name}");
    };
    let job = Job::new(board(12)).threads(1);
    let count = job.run().unwrap();
    let search = job.clone().engine(Engine::Backtrack).split_rows(2);
    stops("run", &|cancel, observer| search.run_with(cancel, observer).err());
    stops("double check", &|cancel, observer| count.double_check(1, cancel, observer).err());
    for job in [&job, &Job::new(board(4)).threads(1)] {
        stops("square", &|cancel, observer| job.by_square(cancel, observer).err());
    }
}

#[test]
fn values_are_made_of_numbers_and_lists_or_refused_with_the_reason() {
    let refused = |error: InputError| error.to_string();
    assert_eq!(Board::try_from(8), Board::new(8));
    let no_board = |size| format!("'{size}' is no board size; give a whole number from 1 to 32");
    assert_eq!(Board::try_from(33).map_err(refused), Err(no_board("33")));

    let solution = Solution::new(&[1, 3, 0, 2]).unwrap();
    assert_eq!(Solution::try_from(Vec::from(solution)), Ok(solution));
    assert_eq!(Solution::new(&[]).map_err(refused), Err(no_board("0")));
    assert_eq!(AsRef::<[u8]>::as_ref(&solution), [1, 3, 0, 2]);

    assert_eq!(Shard::new(3, 4).map(|shard| shard.to_string()), Ok("3/4".to_owned()));
    for (index, count) in [(4, 4), (0, 0), (0, 100_001)] {
        let said = refused(Shard::new(index, count).unwrap_err());
        let expected = format!(
            "'{index}/{count}' is no shard; give I/N, number I, from 0 to N - 1, of N shards, at most 100000; "
        );
        assert!(said.starts_with(&expected), "{said}");
    }

    let setups = [Setup::new(board(4)), Setup::new(board(4)).with_queen(0, 1).unwrap(), board(4).into()];
    assert_eq!(HashSet::from(setups).len(), 2);
}

/// The shape of a count is that of the program's documents.
#[cfg(feature = "ledger")]
#[test]
fn serde_writes_a_count() {
    let count = Job::new(board(9)).engine(Engine::Backtrack).kernel(nqueens::Kernel::Scalar).run().unwrap();
    let mut written = serde_json::to_value(&count).unwrap();
    assert!(written["seconds"].take().as_f64().is_some_and(|seconds| seconds > 0.0));
    let expected = serde_json::json!({
        "board": 9, "setup": null, "total": "352", "verdict": "matches", "seconds": null, "engine": "backtrack",
        "kernel": "scalar", "device": null, "plan": count.plan, "threads": 1, "nodes": null,
    });
    assert_eq!(written, expected);
}

/// The feature `ledger` brings the JSON.
#[cfg(feature = "ledger")]
#[test]
fn serde_stores_values_as_they_are_written() {
    use nqueens::classic::Method;
    use serde::{Serialize, de::DeserializeOwned};
    fn stored<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T, json: &str) {
        assert_eq!(serde_json::to_string(value).unwrap(), json);
        assert_eq!(&serde_json::from_str::<T>(json).unwrap(), value);
    }
    stored(&board(8), "8");
    stored(&Solution::new(&[1, 3, 0, 2]).unwrap(), "[1,3,0,2]");
    stored(&Shard::new(1, 4).unwrap(), "\"1/4\"");
    stored(&Engine::TwoColor, "\"two-color\"");
    stored(&nqueens::Kernel::Avx512, "\"avx512\"");
    stored(&Method::BitMasks, &format!("\"{}\"", Method::BitMasks));
    stored(&Setup::new(board(2)).with_queen(1, 0).unwrap().with_blocked(0, 1).unwrap(), "\".*\\nQ.\"");
    let refused = serde_json::from_str::<Solution>("[0,1]").unwrap_err().to_string();
    assert!(refused.starts_with("the queens of rows 0 and 1 attack each other"), "{refused}");
    assert!(serde_json::from_str::<Shard>("\"4/4\"").unwrap_err().to_string().starts_with("'4/4' is no shard"));
}
