//! What two tables are compared by: how many rows they have, and a hash of all their values.

use aws_lc_rs::digest::{Context, SHA256};

use super::value::{Row, Value};
use crate::seal::hex;

/// Counts and hashes rows, in the order of their keys. An action counts as what it says: each store seals it in its own way.
pub(super) struct Checksum {
    rows: u64,
    hash: Context,
}

impl Checksum {
    pub(super) fn new() -> Self {
        Self { rows: 0, hash: Context::new(&SHA256) }
    }

    /// Adds a row. Each value begins with its kind and its length, so that no two rows are the same bytes.
    pub(super) fn add(&mut self, row: &Row) {
        self.rows += 1;
        for value in row {
            match value {
                Value::Null => self.hash.update(&[0]),
                Value::Integer(number) => self.add_bytes(1, &number.to_be_bytes()),
                Value::Text(text) => self.add_bytes(2, text.as_bytes()),
                Value::Bytes(bytes) => self.add_bytes(3, bytes),
                Value::Opened(bytes) => self.add_bytes(4, bytes),
                Value::Unopened(bytes) => self.add_bytes(5, bytes),
            }
        }
    }

    fn add_bytes(&mut self, kind: u8, bytes: &[u8]) {
        self.hash.update(&[kind]);
        self.hash.update(&(bytes.len() as u64).to_be_bytes());
        self.hash.update(bytes);
    }

    /// The number of rows, and the hash in hexadecimal digits.
    pub(super) fn finish(self) -> (u64, String) {
        (self.rows, hex(self.hash.finish().as_ref()))
    }
}

#[cfg(test)]
mod tests {
    use super::{Checksum, Value};

    fn checksum(rows: &[Vec<Value>]) -> (u64, String) {
        let mut checksum = Checksum::new();
        for row in rows {
            checksum.add(row);
        }
        checksum.finish()
    }

    #[test]
    fn rows_that_differ_have_another_checksum() {
        let text = |text: &str| Value::text(text);
        let rows = [
            vec![],
            vec![vec![text("ab"), text("c")]],
            vec![vec![text("a"), text("bc")]],
            vec![vec![Value::Bytes(b"ab".to_vec()), text("c")]],
            vec![vec![Value::Opened(b"ab".to_vec()), text("c")]],
            vec![vec![Value::Unopened(b"ab".to_vec()), text("c")]],
            vec![vec![Value::Null, text("c")]],
            vec![vec![Value::Integer(0), text("c")]],
            vec![vec![text("c"), Value::Integer(0)]],
        ];
        let checksums: Vec<_> = rows.iter().map(|rows| checksum(rows)).collect();
        for (at, one) in checksums.iter().enumerate() {
            assert_eq!(*one, checksum(&rows[at]));
            assert!(checksums[..at].iter().all(|other| other.1 != one.1), "{at}");
        }
    }
}
