//! Files that somebody wrote to do harm, or that fell into the wrong hands: they are refused, and soon.

use aws_lc_rs::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use aws_lc_rs::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
use proptest::prelude::*;
use punctual_pfx::{Error, Identity};

use super::encoding::{content, inside, integer, items, object_identifier, octets, sequence, tagged};
use super::{PASSWORD, fixture, read, shown};

#[test]
fn a_file_that_ends_early() {
    for name in ["aes128", "windows", "no_mac", "no_encryption"] {
        let bytes = fixture(name);
        for length in 0..bytes.len() {
            assert_eq!(read(&bytes[..length], PASSWORD).unwrap_err(), Error::NotPfx, "{name} with {length} bytes");
        }
    }
}

/// Under a MAC nothing can be changed unnoticed but what the MAC does not cover, and that says nothing.
#[test]
fn a_file_with_one_bit_turned() {
    let bytes = fixture("one_round");
    let right = shown(read(&bytes, PASSWORD));
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << bit;
            if let Ok(identity) = read(&changed, PASSWORD) {
                assert_eq!(shown(Ok(identity)), right, "bit {bit} of byte {at}");
            }
        }
    }
}

/// Without one the key still fits the certificate, whatever else has changed.
#[test]
fn a_file_without_a_mac_with_one_bit_turned() {
    let bytes = fixture("no_mac");
    let right = public_part(&read(&bytes, PASSWORD).unwrap());
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        if let Ok(identity) = read(&changed, PASSWORD) {
            assert_eq!(public_part(&identity), right, "byte {at}");
        }
    }
}

fn public_part(identity: &Identity) -> Vec<u8> {
    let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, identity.key.pkcs8_der()).unwrap();
    key.public_key().as_ref().to_vec()
}

/// Many keys, each with fewer rounds than a file may ask for, but all of them together take long.
#[test]
fn many_keys_with_many_rounds_each() {
    let bytes = fixture("no_mac_many_rounds");
    assert!(read(&bytes, PASSWORD).is_ok());
    let parts = items(content(inside(items(content(&bytes))[1])));
    let bags = content(inside(parts[1])).repeat(30);
    assert_eq!(read(&pfx_with(&[bags]), PASSWORD).unwrap_err(), Error::TooSlow);
}

#[test]
fn rounds_beyond_every_number() {
    for rounds in [2_000_001, u64::from(u32::MAX) + 1, u64::MAX >> 1] {
        let bytes = pfx_with_mac_rounds(integer(rounds));
        assert_eq!(read(&bytes, "").unwrap_err(), Error::TooSlow, "{rounds}");
    }
    let long = tagged(0x02, &[1; 40]);
    assert_eq!(read(&pfx_with_mac_rounds(long), "").unwrap_err(), Error::TooSlow);
    for never in [integer(0), tagged(0x02, &[0xff]), tagged(0x02, &[])] {
        assert_eq!(read(&pfx_with_mac_rounds(never), "").unwrap_err(), Error::NotPfx);
    }
}

/// Bags in bags in bags.
#[test]
fn a_file_that_is_deep() {
    let mut bag = Vec::new();
    while bag.len() < 40_000 {
        let contents = sequence(&[bag]);
        let kind = object_identifier(b"\x2a\x86\x48\x86\xf7\x0d\x01\x0c\x0a\x01\x06");
        bag = sequence(&[kind, tagged(0xa0, &contents)]);
    }
    assert_eq!(read(&pfx_with(&[bag]), PASSWORD).unwrap_err(), Error::NoKey);
    let open_ends = [0x30, 0x80].repeat(20_000);
    assert_eq!(read(&open_ends, PASSWORD).unwrap_err(), Error::NotPfx);
}

/// A file without a MAC around these bags.
fn pfx_with(bags: &[Vec<u8>]) -> Vec<u8> {
    sequence(&[integer(3), data(&sequence(&[data(&sequence(bags))]))])
}

fn pfx_with_mac_rounds(rounds: Vec<u8>) -> Vec<u8> {
    let digest = sequence(&[sequence(&[object_identifier(b"\x2b\x0e\x03\x02\x1a")]), octets(&[0; 20])]);
    sequence(&[integer(3), data(&sequence(&[])), sequence(&[digest, octets(b"salt"), rounds])])
}

fn data(content: &[u8]) -> Vec<u8> {
    sequence(&[object_identifier(b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01"), tagged(0xa0, &octets(content))])
}

proptest! {
    #[test]
    fn any_text(text in any::<String>(), password in any::<String>()) {
        prop_assert!(punctual_pfx::read(&text, &password).is_err());
    }

    #[test]
    fn any_bytes(bytes in any::<Vec<u8>>(), password in any::<String>()) {
        prop_assert!(read(&bytes, &password).is_err());
    }

    /// A file with garbage in it is refused with a reason, or read as a certificate with its own thumbprint.
    #[test]
    fn a_file_with_anything_in_it(
        name in prop::sample::select(vec!["chain", "one_round", "no_mac", "no_encryption", "windows"]),
        at in any::<prop::sample::Index>(),
        garbage in prop::collection::vec(any::<u8>(), 1..20),
    ) {
        let mut bytes = fixture(name);
        let at = at.index(bytes.len());
        let end = bytes.len().min(at + garbage.len());
        bytes.splice(at..end, garbage);
        match read(&bytes, PASSWORD) {
            Ok(identity) => {
                let hash = digest(&SHA1_FOR_LEGACY_USE_ONLY, &identity.chain[0]);
                let hex = hash.as_ref().iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02X}"));
                prop_assert_eq!(identity.thumbprint, hex);
            }
            Err(error) => prop_assert!(!error.found().is_empty() && !error.expected().is_empty()),
        }
    }
}
