//! A value of a row as both databases have it: what is written into one and compared with the other.

use std::fmt;

use punctual_model::job::Uid;

use super::table::Table;
use crate::error::Error;
use crate::seal::Keyring;

/// What a column of a row holds.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Null,
    /// A truth value is 0 or 1.
    Integer(i64),
    /// Without the character 0, which no text of PostgreSQL holds.
    Text(String),
    Bytes(Vec<u8>),
    /// An action that was sealed.
    Opened(Vec<u8>),
    /// An action that does not open with any key there is.
    Unopened(Vec<u8>),
}

/// The values of a row, in the order of the columns of its table.
pub(crate) type Row = Vec<Value>;

impl Value {
    /// A text as it is compared.
    pub(crate) fn text(text: &str) -> Self {
        Self::Text(if text.contains('\0') { text.replace('\0', "\u{FFFD}") } else { text.to_owned() })
    }

    /// Roughly how much memory it takes.
    pub(crate) const fn bytes(&self) -> usize {
        match self {
            Self::Null | Self::Integer(_) => 8,
            Self::Text(text) => text.len(),
            Self::Bytes(bytes) | Self::Opened(bytes) | Self::Unopened(bytes) => bytes.len(),
        }
    }
}

/// For messages: nothing that was sealed shows itself.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("nothing"),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Bytes(_) | Self::Opened(_) | Self::Unopened(_) => f.write_str("bytes"),
        }
    }
}

/// The key of a row, for messages.
pub(crate) fn describe_key(key: &[Value]) -> String {
    key.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Opens the action of a row. Gives the reason why it does not open; then it stays as it is.
pub(crate) fn open(keyring: &Keyring, table: &Table, row: &mut Row) -> Option<String> {
    let (uid, action) = table.sealed()?;
    let Value::Bytes(sealed) = &row[action] else { return None };
    let opened = match uid_of(&row[uid]) {
        Some(uid) => keyring.open(uid, sealed).map_err(|reason| reason.to_string()),
        None => Err("the uid it is sealed for is not 16 bytes".to_owned()),
    };
    match opened {
        Ok(plain) => {
            row[action] = Value::Opened(plain);
            None
        }
        Err(reason) => {
            row[action] = Value::Unopened(sealed.clone());
            Some(format!("its action: {reason}"))
        }
    }
}

/// Seals the action of a row with the keys of where it goes.
pub(crate) fn seal(keyring: &Keyring, table: &Table, row: &mut Row) -> Result<(), Error> {
    let Some((uid, action)) = table.sealed() else { return Ok(()) };
    let sealed = match &row[action] {
        Value::Opened(plain) => {
            let uid = uid_of(&row[uid]).ok_or_else(|| Error::corrupt("a uid is not 16 bytes"))?;
            keyring.seal(uid, plain).map_err(Error::unavailable)?
        }
        Value::Unopened(sealed) => sealed.clone(),
        _ => return Ok(()),
    };
    row[action] = Value::Bytes(sealed);
    Ok(())
}

/// The uid in a column.
pub(crate) fn uid_of(value: &Value) -> Option<Uid> {
    let Value::Bytes(bytes) = value else { return None };
    Some(Uid::from_bytes(bytes.as_slice().try_into().ok()?))
}
