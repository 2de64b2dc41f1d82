//! Bytes in hexadecimal digits.

/// Two upper-case digits for each byte.
pub(crate) fn upper_hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |text, byte| text + &format!("{byte:02X}"))
}
