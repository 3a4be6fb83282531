//! Memory for the large tables of the engines, which the system may refuse.

use super::StopReason;

/// Makes room in a table for `more` items, or for as many as it has if these are more.
///
/// # Errors
/// When the system refuses. The table is then empty, so that others have its memory.
#[inline]
pub(crate) fn reserve<T>(table: &mut Vec<T>, more: usize) -> Result<(), StopReason> {
    // This is asked first because `try_reserve` is a call.
    if table.capacity() - table.len() >= more {
        return Ok(());
    }
    #[cfg(test)]
    let more = if tests::is_refused() { usize::MAX } else { more };
    table.try_reserve(more).map_err(|_| {
        *table = Vec::new();
        StopReason::Memory
    })
}

/// Asks the system for so many bytes, and gives them back.
///
/// # Errors
/// When the system refuses.
pub(crate) fn has_room(bytes: usize) -> Result<(), StopReason> {
    let mut room = Vec::<u8>::new();
    let outcome = reserve(&mut room, bytes);
    // Without this the compiler would leave the room out.
    std::hint::black_box(&mut room);
    outcome
}

/// Adds an item to a table.
///
/// # Errors
/// The error of [`reserve`].
#[inline]
pub(crate) fn push<T>(table: &mut Vec<T>, item: T) -> Result<(), StopReason> {
    reserve(table, 1)?;
    table.push(item);
    Ok(())
}

/// Lengthens a table to at least `length` items.
///
/// # Errors
/// The error of [`reserve`].
#[inline]
pub(crate) fn grow_to<T: Clone>(table: &mut Vec<T>, length: usize, item: T) -> Result<(), StopReason> {
    if table.len() < length {
        reserve(table, length - table.len())?;
        table.resize(length, item);
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::cell::Cell;

    thread_local! {
        /// The number of tables that can still grow in this thread before one is refused memory.
        static GRANTED: Cell<usize> = const { Cell::new(usize::MAX) };
    }

    /// Lets the table that grows after `granted` others be refused memory, in this thread.
    pub(crate) fn refuse_after(granted: usize) {
        GRANTED.set(granted);
    }

    /// Returns true if a table that grows is refused memory now.
    pub(super) fn is_refused() -> bool {
        GRANTED.replace(GRANTED.get().wrapping_sub(1)) == 0
    }

    #[test]
    fn a_table_too_large_for_any_system_is_refused_and_dropped() {
        let mut table = vec![0_u8];
        assert_eq!(grow_to(&mut table, usize::MAX, 0), Err(StopReason::Memory));
        assert_eq!(table.capacity(), 0);
        let mut table = vec![1];
        assert_eq!(grow_to(&mut table, 3, 2).and_then(|()| grow_to(&mut table, 2, 4)), Ok(()));
        assert_eq!(table, [1, 2, 2]);
        assert_eq!((has_room(1 << 20), has_room(usize::MAX)), (Ok(()), Err(StopReason::Memory)));
    }
}
