//! Memory for the large tables of the engines, which the system may refuse.

use std::panic::resume_unwind;

/// The payload with which a thread unwinds, without a message, when the system refuses memory for a table.
/// [`crate::run`] turns it into an error.
#[derive(Debug)]
pub(crate) struct MemoryRefusal;

/// Makes room in a table for `more` items, or for as many as it has if these are more. When the system refuses, the
/// table is dropped, so that there is memory to unwind with.
#[inline]
pub(crate) fn reserve<T>(table: &mut Vec<T>, more: usize) {
    if table.try_reserve(more).is_err() {
        *table = Vec::new();
        resume_unwind(Box::new(MemoryRefusal));
    }
}

/// Adds an item to a table.
#[inline]
pub(crate) fn push<T>(table: &mut Vec<T>, item: T) {
    reserve(table, 1);
    table.push(item);
}

/// Lengthens a table to at least `length` items.
#[inline]
pub(crate) fn grow_to<T: Clone>(table: &mut Vec<T>, length: usize, item: T) {
    if table.len() < length {
        reserve(table, length - table.len());
        table.resize(length, item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::catch_unwind;

    #[test]
    fn a_table_too_large_for_any_system_is_refused_and_no_panic_is_printed() {
        let refused = catch_unwind(|| grow_to(&mut vec![0_u8], usize::MAX, 0)).unwrap_err();
        assert!(refused.is::<MemoryRefusal>());
        let mut table = vec![1];
        grow_to(&mut table, 3, 2);
        grow_to(&mut table, 2, 4);
        assert_eq!(table, [1, 2, 2]);
    }
}
