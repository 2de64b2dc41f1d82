//! What the columns of tokens and role assignments say.

use punctual_model::access::TokenId;

use crate::access::{AssignmentEntry, TokenEntry};
use crate::cells::{Cells, Fields};
use crate::error::Error;
use crate::record;

pub(crate) fn read_token(row: &dyn Fields) -> Result<TokenEntry, Error> {
    let mut cells = Cells::of(row);
    let name = cells.next_text()?;
    let id = TokenId::parse(name).map_err(|reason| Error::corrupt(format!("the name of a token: {reason}")))?;
    let read = record::read_token(id, cells.next_text()?);
    read.map_err(|reason| Error::from(reason).about(format_args!("token {name}")))
}

pub(crate) fn read_assignment(row: &dyn Fields) -> Result<AssignmentEntry, Error> {
    let mut cells = Cells::of(row);
    let id = cells.next()?;
    let read = record::read_assignment(cells.next_text()?);
    let (claimants, grant) = read.map_err(|reason| Error::from(reason).about(format_args!("assignment {id}")))?;
    Ok(AssignmentEntry { id, claimants, grant })
}
