//! What the columns of a session say.

use punctual_model::access::TokenId;

use crate::cells::{Cells, Fields};
use crate::error::Error;
use crate::session::{SessionEntry, SessionOwner};

/// The two columns of an owner, one of which is empty.
pub(crate) fn columns(owner: &SessionOwner) -> (Option<&str>, Option<&str>) {
    match owner {
        SessionOwner::Token(id) => (Some(id.as_str()), None),
        SessionOwner::Subject(subject) => (None, Some(subject)),
    }
}

pub(crate) fn read(row: &dyn Fields) -> Result<SessionEntry, Error> {
    let mut cells = Cells::of(row);
    let hash = cells.next()?;
    let owner = match (cells.next_optional_text()?, cells.next_optional_text()?) {
        (Some(token), None) => {
            SessionOwner::Token(TokenId::parse(token).map_err(|reason| Error::corrupt(format!("a token: {reason}")))?)
        }
        (None, Some(subject)) => SessionOwner::Subject(subject.to_owned()),
        _ => return Err(Error::corrupt("one owner is expected")),
    };
    let (issued, expires) = (cells.next_required_instant()?, cells.next_required_instant()?);
    Ok(SessionEntry { hash, owner, issued, expires, record: cells.next()? })
}
