//! What the columns of a resource group say, or those of a collection in it.

use std::collections::BTreeMap;

use punctual_model::Name;

use crate::cells::{Cells, Fields};
use crate::collection::GroupEntry;
use crate::error::Error;
use crate::key::GroupKey;
use crate::record;

/// Reads a name in the form in which it is compared, and the record of a group that was made or of a collection, from one
/// of which it takes the form in which the name was written.
pub(crate) fn read_row(row: &dyn Fields) -> Result<(&str, Result<GroupEntry, Error>), Error> {
    let mut cells = Cells::of(row);
    let folded = cells.next_text()?;
    let entry = match (cells.next_optional_text()?, cells.next_optional_text()?) {
        (Some(made), _) => read(made),
        (None, held) => implied(held.unwrap_or_default()),
    };
    Ok((folded, entry.map_err(|error| error.about(folded))))
}

/// A name of which only the form in which it is compared can be read.
pub(crate) fn parse(folded: &str) -> Result<Name, Error> {
    Name::parse(folded).map_err(|reason| Error::corrupt(format!("{folded:?}: {reason}")))
}

pub(crate) fn read(record: &str) -> Result<GroupEntry, Error> {
    record::read_group(record).map_err(|reason| Error::from(reason).about("a resource group"))
}

/// The group that a collection is in.
pub(crate) fn implied(record: &str) -> Result<GroupEntry, Error> {
    let (key, _) = record::read_collection(record).map_err(|reason| Error::from(reason).about("a collection"))?;
    Ok(bare(GroupKey { subscription: key.subscription, group: key.group }))
}

/// A group of which nothing is known but its path.
pub(crate) const fn bare(key: GroupKey) -> GroupEntry {
    GroupEntry { key, location: None, tags: BTreeMap::new() }
}
