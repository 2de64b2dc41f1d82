//! Characters that are written otherwise: escaped, as in addresses, in JSON and in HTML.

/// One character, written otherwise.
pub(super) struct Escape {
    bytes: [u8; 4],
    bytes_count: usize,
    length: usize,
}

impl Escape {
    fn new(c: char, length: usize) -> Self {
        let mut bytes = [0; 4];
        let bytes_count = c.encode_utf8(&mut bytes).len();
        Self { bytes, bytes_count, length }
    }

    /// A byte of a character, which is how addresses escape.
    fn of_byte(byte: u8) -> Self {
        Self { bytes: [byte, 0, 0, 0], bytes_count: 1, length: 3 }
    }

    /// What it stands for.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.bytes_count]
    }

    /// How many bytes it takes in the text.
    pub(super) fn length(&self) -> usize {
        self.length
    }
}

/// The most bytes that an escape takes: one of JSON for a character that comes in two halves.
pub(super) const ESCAPE_BYTES_MAX: usize = 12;

/// The escape that a text begins with.
pub(super) fn escape(text: &[u8]) -> Option<Escape> {
    match text.first()? {
        b'%' => Some(Escape::of_byte(u8::try_from(number(text.get(1..3)?, 16)?).ok()?)),
        b'+' => Some(Escape::new(' ', 1)),
        b'\\' => escape_of_json(text),
        b'&' => escape_of_html(text),
        _ => None,
    }
}

fn escape_of_json(text: &[u8]) -> Option<Escape> {
    let unit = |at: usize| u16::try_from(number(text.get(at..at + 4)?, 16)?).ok();
    match *text.get(1)? {
        c @ (b'"' | b'\\' | b'/' | b'\'') => Some(Escape::new(char::from(c), 2)),
        b'n' => Some(Escape::new('\n', 2)),
        b'r' => Some(Escape::new('\r', 2)),
        b't' => Some(Escape::new('\t', 2)),
        b'u' => {
            let first = unit(2)?;
            if let Some(c) = char::from_u32(first.into()) {
                return Some(Escape::new(c, 6));
            }
            // What is not of the first 65,536 characters comes in two halves.
            let second = unit(8).filter(|_| text[6..].starts_with(b"\\u"))?;
            Some(Escape::new(char::decode_utf16([first, second]).next()?.ok()?, 12))
        }
        _ => None,
    }
}

fn escape_of_html(text: &[u8]) -> Option<Escape> {
    const NAMED: [(&[u8], char); 5] = [(b"amp", '&'), (b"lt", '<'), (b"gt", '>'), (b"quot", '"'), (b"apos", '\'')];
    // The longest is `&#x10FFFF;`.
    let end = text.iter().take(10).position(|byte| *byte == b';')?;
    let c = match &text[1..end] {
        [b'#', b'x' | b'X', digits @ ..] => char::from_u32(number(digits, 16)?)?,
        [b'#', digits @ ..] => char::from_u32(number(digits, 10)?)?,
        name => NAMED.into_iter().find(|(known, _)| *known == name)?.1,
    };
    Some(Escape::new(c, end + 1))
}

fn number(digits: &[u8], radix: u32) -> Option<u32> {
    let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
    u32::from_str_radix(digits, radix).ok()
}
