//! One of the two stores of a copy, whichever database it is in.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;

use super::numbers::Numbers;
use super::part::Part;
use super::report::LeftOut;
use super::sent::SentUntil;
use super::value::{Row, Value};
use crate::error::Error;
use crate::history::segment::Segment;
use crate::seal::Keyring;

/// Rows that are read and written at once, at most.
pub(crate) const PAGE_ROWS_MAX: usize = 5_000;

/// Bytes of values in one page. One row more may be in it: the one that goes beyond.
pub(crate) const PAGE_BYTES_MAX: usize = 4 << 20;

/// Some rows of a table, in the order of their keys, with actions as they are sealed.
#[derive(Default)]
pub(crate) struct Page {
    pub(crate) rows: Vec<Row>,
    /// Rows that no store can have written.
    pub(crate) left_out: Vec<LeftOut>,
    /// The key of the last row that was read; none if there was none.
    pub(crate) last: Option<Vec<Value>>,
}

/// One of the two stores. Dropping it lets go of what keeps others out.
#[async_trait]
pub(crate) trait Side: Send {
    /// Where it is, without a password.
    fn name(&self) -> String;

    /// How its owner empties it.
    fn how_to_empty(&self) -> String;

    /// The keys that its actions are sealed with.
    fn keyring(&self) -> &Keyring;

    /// Refuses a store that a server is using.
    async fn refuse_use(&mut self) -> Result<(), Error>;

    /// All tables with their columns, but those of history.
    async fn columns(&mut self) -> Result<BTreeMap<String, BTreeSet<String>>, Error>;

    /// The segments of history. Those that cannot be read are left out.
    async fn segments(&mut self) -> Result<(BTreeSet<Segment>, Vec<LeftOut>), Error>;

    /// The columns of a segment.
    async fn segment_columns(&mut self, segment: Segment) -> Result<BTreeSet<String>, Error>;

    /// How many rows a part has.
    async fn count(&mut self, part: Part) -> Result<u64, Error>;

    /// The next rows after a key, or the first ones.
    async fn read(&mut self, part: Part, after: Option<&[Value]>) -> Result<Page, Error>;

    /// The last key of a part.
    async fn last_key(&mut self, part: Part) -> Result<Option<Vec<Value>>, Error>;

    /// Which numbers it has given.
    async fn numbers(&mut self) -> Result<Numbers, Error>;

    /// Up to where it may have sent something that it has no record of.
    async fn sent_until(&mut self) -> Result<SentUntil, Error>;

    /// What it is an unfinished copy of, by the fingerprint of that store.
    async fn unfinished(&mut self) -> Result<Option<String>, Error>;

    /// Notes that it is an unfinished copy from now on, which no server may use, and removes what every new store has.
    async fn begin(&mut self, fingerprint: &str) -> Result<(), Error>;

    /// Makes a segment of history, unless it is there.
    async fn make_segment(&mut self, segment: Segment) -> Result<(), Error>;

    /// Writes rows behind those that are there, all or none, with actions as they are to be kept.
    async fn write(&mut self, part: Part, rows: &[Row]) -> Result<(), Error>;

    /// Goes on from these numbers.
    async fn set_numbers(&mut self, numbers: &Numbers) -> Result<(), Error>;

    /// Notes that the copy is complete: a server may use it.
    async fn finish(&mut self) -> Result<(), Error>;
}
