//! Object identifiers, as the bytes that stand in a file.

use std::fmt::Write;

pub(crate) const DATA: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01";
pub(crate) const SIGNED_DATA: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02";
pub(crate) const ENVELOPED_DATA: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x03";
pub(crate) const ENCRYPTED_DATA: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x06";

pub(crate) const KEY_BAG: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x0c\x0a\x01\x01";
pub(crate) const SHROUDED_KEY_BAG: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x0c\x0a\x01\x02";
pub(crate) const CERTIFICATE_BAG: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x0c\x0a\x01\x03";
pub(crate) const SAFE_CONTENTS_BAG: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x0c\x0a\x01\x06";

pub(crate) const PBE_RC4_128: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x0c\x01\x01";
pub(crate) const PBE_RC4_40: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x0c\x01\x02";
pub(crate) const PBE_3DES: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x0c\x01\x03";
pub(crate) const PBE_3DES_TWO_KEYS: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x0c\x01\x04";
pub(crate) const PBE_RC2_128: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x0c\x01\x05";
pub(crate) const PBE_RC2_40: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x0c\x01\x06";
pub(crate) const PBES2: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x05\x0d";
pub(crate) const PBMAC1: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x05\x0e";
pub(crate) const PBKDF2: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x05\x0c";
pub(crate) const SCRYPT: &[u8] = b"\x2b\x06\x01\x04\x01\xda\x47\x04\x0b";

pub(crate) const AES_128_CBC: &[u8] = b"\x60\x86\x48\x01\x65\x03\x04\x01\x02";
pub(crate) const AES_192_CBC: &[u8] = b"\x60\x86\x48\x01\x65\x03\x04\x01\x16";
pub(crate) const AES_256_CBC: &[u8] = b"\x60\x86\x48\x01\x65\x03\x04\x01\x2a";
pub(crate) const DES_EDE3_CBC: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x03\x07";

pub(crate) const SHA1: &[u8] = b"\x2b\x0e\x03\x02\x1a";
pub(crate) const SHA224: &[u8] = b"\x60\x86\x48\x01\x65\x03\x04\x02\x04";
pub(crate) const SHA256: &[u8] = b"\x60\x86\x48\x01\x65\x03\x04\x02\x01";
pub(crate) const SHA384: &[u8] = b"\x60\x86\x48\x01\x65\x03\x04\x02\x02";
pub(crate) const SHA512: &[u8] = b"\x60\x86\x48\x01\x65\x03\x04\x02\x03";
pub(crate) const HMAC_SHA1: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x02\x07";
pub(crate) const HMAC_SHA256: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x02\x09";
pub(crate) const HMAC_SHA384: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x02\x0a";
pub(crate) const HMAC_SHA512: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x02\x0b";

/// Algorithms that are refused, with the names that an error calls them by.
const REFUSED: [(&[u8], &str); 7] = [
    (SIGNED_DATA, "a signature instead of a password"),
    (ENVELOPED_DATA, "a public key instead of a password"),
    (PBE_RC4_128, "RC4"),
    (PBE_RC4_40, "RC4"),
    (PBE_3DES_TWO_KEYS, "3DES with two keys"),
    (PBMAC1, "PBMAC1"),
    (SCRYPT, "scrypt"),
];

/// The name of an algorithm, or the numbers of its identifier with dots between them.
pub(crate) fn name(identifier: &[u8]) -> String {
    let known = REFUSED.iter().find(|(refused, _)| *refused == identifier);
    known.map_or_else(|| format!("the algorithm {}", dotted(identifier)), |(_, name)| (*name).to_owned())
}

/// The numbers of an identifier with dots between them. Bytes beyond a limit are cut: no real identifier has more.
pub(crate) fn dotted(identifier: &[u8]) -> String {
    const BYTES_MAX: usize = 32;
    let mut text = String::new();
    let mut number = 0_u64;
    for byte in identifier.iter().take(BYTES_MAX) {
        number = (number & (u64::MAX >> 7)) << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 != 0 {
            continue;
        }
        // The first two numbers share the first place.
        let written = if text.is_empty() {
            let first = (number / 40).min(2);
            write!(text, "{first}.{}", number - 40 * first)
        } else {
            write!(text, ".{number}")
        };
        debug_assert!(written.is_ok(), "a text takes everything");
        number = 0;
    }
    text
}
