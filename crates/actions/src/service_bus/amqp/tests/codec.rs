//! AMQP's types on the wire, written once more for the double: it must not share the mistakes of the library.

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum V {
    Null,
    Bool(bool),
    Ubyte(u8),
    Ushort(u16),
    Uint(u32),
    Ulong(u64),
    Int(i32),
    Long(i64),
    Time(i64),
    Binary(Vec<u8>),
    Text(String),
    Symbol(String),
    List(Vec<V>),
    Map(Vec<(V, V)>),
    Described(u64, Box<V>),
}

impl V {
    pub(super) fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    pub(super) fn symbol(text: &str) -> Self {
        Self::Symbol(text.to_owned())
    }

    /// A composite of this code.
    pub(super) fn of(code: u64, fields: Vec<V>) -> Self {
        Self::Described(code, Box::new(Self::List(fields)))
    }

    /// A field of a composite or a list; those left off at its end are null.
    pub(super) fn field(&self, at: usize) -> &V {
        match self {
            Self::Described(_, inner) => inner.field(at),
            Self::List(items) => items.get(at).unwrap_or(&Self::Null),
            other => panic!("no list: {other:?}"),
        }
    }

    /// The entry of a map.
    pub(super) fn get(&self, name: &str) -> Option<&V> {
        let Self::Map(entries) = self else { panic!("no map: {self:?}") };
        let is_name = |key: &V| matches!(key, Self::Text(text) | Self::Symbol(text) if text == name);
        entries.iter().find(|(key, _)| is_name(key)).map(|(_, value)| value)
    }

    pub(super) fn as_u32(&self) -> u32 {
        let Self::Uint(number) = self else { panic!("no uint: {self:?}") };
        *number
    }

    pub(super) fn as_text(&self) -> &str {
        match self {
            Self::Text(text) | Self::Symbol(text) => text,
            other => panic!("no text: {other:?}"),
        }
    }

    pub(super) fn encode(&self, to: &mut Vec<u8>) {
        let mut sized = |code: u8, bytes: &[u8]| {
            to.push(code);
            to.extend(u32::try_from(bytes.len()).unwrap().to_be_bytes());
            to.extend(bytes);
        };
        match self {
            Self::Null => to.push(0x40),
            Self::Bool(is) => to.push(if *is { 0x41 } else { 0x42 }),
            Self::Ubyte(number) => to.extend([0x50, *number]),
            Self::Ushort(number) => to.extend([&[0x60], &number.to_be_bytes()[..]].concat()),
            Self::Uint(number) => to.extend([&[0x70], &number.to_be_bytes()[..]].concat()),
            Self::Ulong(number) => to.extend([&[0x80], &number.to_be_bytes()[..]].concat()),
            Self::Int(number) => to.extend([&[0x71], &number.to_be_bytes()[..]].concat()),
            Self::Long(number) => to.extend([&[0x81], &number.to_be_bytes()[..]].concat()),
            Self::Time(number) => to.extend([&[0x83], &number.to_be_bytes()[..]].concat()),
            Self::Binary(bytes) => sized(0xb0, bytes),
            Self::Text(text) => sized(0xb1, text.as_bytes()),
            Self::Symbol(text) => sized(0xb3, text.as_bytes()),
            Self::List(items) => compound(0xd0, items.iter(), items.len(), to),
            Self::Map(entries) => {
                compound(0xd1, entries.iter().flat_map(|(key, value)| [key, value]), entries.len() * 2, to);
            }
            Self::Described(code, inner) => {
                to.push(0x00);
                Self::Ulong(*code).encode(to);
                inner.encode(to);
            }
        }
    }

    /// Takes a value off the beginning.
    pub(super) fn decode(from: &mut &[u8]) -> Self {
        let code = take(from, 1)[0];
        match code {
            0x00 => {
                let Self::Ulong(code) = Self::decode(from) else { panic!("a descriptor that is no ulong") };
                Self::Described(code, Box::new(Self::decode(from)))
            }
            0x40 => Self::Null,
            0x41 => Self::Bool(true),
            0x42 => Self::Bool(false),
            0x56 => Self::Bool(take(from, 1)[0] == 1),
            0x50 => Self::Ubyte(take(from, 1)[0]),
            0x60 => Self::Ushort(u16::from_be_bytes(array(from))),
            0x43 => Self::Uint(0),
            0x52 => Self::Uint(take(from, 1)[0].into()),
            0x70 => Self::Uint(u32::from_be_bytes(array(from))),
            0x44 => Self::Ulong(0),
            0x53 => Self::Ulong(take(from, 1)[0].into()),
            0x80 => Self::Ulong(u64::from_be_bytes(array(from))),
            0x71 => Self::Int(i32::from_be_bytes(array(from))),
            0x54 => Self::Int(i8::from_be_bytes(array(from)).into()),
            0x81 => Self::Long(i64::from_be_bytes(array(from))),
            0x83 => Self::Time(i64::from_be_bytes(array(from))),
            0xa0 | 0xb0 => Self::Binary(bytes(from, code)),
            0xa1 | 0xb1 => Self::Text(String::from_utf8(bytes(from, code)).unwrap()),
            0xa3 | 0xb3 => Self::Symbol(ascii(bytes(from, code))),
            0x45 => Self::List(Vec::new()),
            0xc0 | 0xd0 => Self::List(items(from, code)),
            0xc1 | 0xd1 => {
                let items = items(from, code);
                Self::Map(items.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect())
            }
            0xe0 | 0xf0 => panic!("an array: nothing that we send has one"),
            other => panic!("unknown type {other:#x}"),
        }
    }
}

fn compound<'a>(code: u8, items: impl Iterator<Item = &'a V>, count: usize, to: &mut Vec<u8>) {
    let mut inner = u32::try_from(count).unwrap().to_be_bytes().to_vec();
    items.for_each(|item| item.encode(&mut inner));
    to.push(code);
    to.extend(u32::try_from(inner.len()).unwrap().to_be_bytes());
    to.extend(inner);
}

fn take<'a>(from: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (taken, rest) = from.split_at(count);
    *from = rest;
    taken
}

fn array<const N: usize>(from: &mut &[u8]) -> [u8; N] {
    take(from, N).try_into().unwrap()
}

/// A size or count: of one byte in the small forms of a type, of four in the large ones.
fn size(from: &mut &[u8], code: u8) -> usize {
    if code & 0x10 == 0 { take(from, 1)[0].into() } else { u32::from_be_bytes(array(from)) as usize }
}

fn bytes(from: &mut &[u8], code: u8) -> Vec<u8> {
    let size = size(from, code);
    take(from, size).to_vec()
}

fn items(from: &mut &[u8], code: u8) -> Vec<V> {
    let bytes = bytes(from, code);
    let mut inner = &bytes[..];
    let count = size(&mut inner, code);
    let items = (0..count).map(|_| V::decode(&mut inner)).collect();
    assert!(inner.is_empty(), "bytes left over in a list");
    items
}

fn ascii(bytes: Vec<u8>) -> String {
    assert!(bytes.is_ascii(), "a symbol that is not ASCII");
    String::from_utf8(bytes).unwrap()
}
