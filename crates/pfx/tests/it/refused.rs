//! What cannot be used, and what is said about it.

use insta::assert_snapshot;

use super::{PASSWORD, fixture, read, shown};

fn of(name: &str, password: &str) -> String {
    shown(read(&fixture(name), password))
}

#[test]
fn what_is_no_pfx_file() {
    assert_snapshot!(shown(punctual_pfx::read("-----BEGIN CERTIFICATE-----", "")), @"✗ a text that is not base64; expected the bytes of a PFX file in base64");
    assert_snapshot!(shown(punctual_pfx::read(&"A".repeat(65_540), "")), @"✗ more than 65536 characters; expected a PFX file with one key, its certificate and those of its issuers");
    assert_snapshot!(shown(punctual_pfx::read("", "")), @"✗ something that is not a PFX file, or a damaged one; expected a PFX (PKCS #12) file; PEM files are made into one by `openssl pkcs12 -export`");
    assert_snapshot!(shown(punctual_pfx::read("TWFu", "")), @"✗ something that is not a PFX file, or a damaged one; expected a PFX (PKCS #12) file; PEM files are made into one by `openssl pkcs12 -export`");
    // A certificate alone.
    let certificate = read(&fixture("p384"), PASSWORD).unwrap().chain.remove(0);
    assert_snapshot!(shown(read(&certificate, "")), @"✗ something that is not a PFX file, or a damaged one; expected a PFX (PKCS #12) file; PEM files are made into one by `openssl pkcs12 -export`");
}

#[test]
fn a_wrong_password() {
    assert_snapshot!(of("openssl3", "secre"), @"✗ a password that does not open the PFX file; expected the one it was exported with; if it is, the file is damaged");
    let names = [
        "openssl3",
        "openssl1",
        "windows",
        "aes128",
        "empty_password",
        "unicode_password",
        "unicode_password_3des",
        "no_mac",
        "no_encryption",
    ];
    for name in names {
        assert_eq!(of(name, "Secret"), of("openssl3", "secre"), "{name}");
    }
    for name in ["openssl3", "windows", "no_mac"] {
        assert_eq!(of(name, ""), of("openssl3", "secre"), "{name}");
    }
}

#[test]
fn files_without_what_is_needed() {
    assert_snapshot!(of("no_key", PASSWORD), @"✗ a PFX file without a private key; expected one exported with the private key");
    assert_snapshot!(of("no_certificate", PASSWORD), @"✗ a PFX file without the certificate of its private key; expected one exported with the certificate");
    assert_snapshot!(of("other_certificate", PASSWORD), @"✗ a PFX file without the certificate of its private key; expected one exported with the certificate");
    assert_snapshot!(of("small_rsa", PASSWORD), @"✗ a PFX file with a private key of another kind; expected RSA of 2048 to 8192 bits, ECDSA on P-256, P-384 or P-521, or Ed25519");
}

#[test]
fn what_is_not_supported_is_named() {
    assert_snapshot!(of("rc4", PASSWORD), @"✗ a PFX file protected with RC4; expected one exported with AES or 3DES, and a password");
    assert_snapshot!(with_identifier(b"\x2a\x86\x48\x86\xf7\x0d\x01\x05\x0c", b"\x2b\x06\x01\x04\x01\xda\x47\x04\x0b"), @"✗ a PFX file protected with scrypt; expected one exported with AES or 3DES, and a password");
    assert_snapshot!(with_identifier(b"\x60\x86\x48\x01\x65\x03\x04\x01\x2a", b"\x60\x86\x48\x01\x65\x03\x04\x01\x2e"), @"✗ a PFX file protected with the algorithm 2.16.840.1.101.3.4.1.46; expected one exported with AES or 3DES, and a password");
    assert_snapshot!(with_identifier(b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01", b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x03"), @"✗ a PFX file protected with a public key instead of a password; expected one exported with AES or 3DES, and a password");
}

/// A file without a MAC in which the last of some identifier is replaced by another.
fn with_identifier(old: &[u8], new: &[u8]) -> String {
    let mut bytes = fixture("no_mac");
    let at = bytes.windows(old.len()).rposition(|window| window == old).unwrap();
    bytes[at..at + new.len()].copy_from_slice(new);
    shown(read(&bytes, PASSWORD))
}

#[test]
fn too_many_rounds() {
    assert_snapshot!(of("slow", PASSWORD), @"✗ a PFX file that takes more than 2000000 rounds to open; expected one exported with fewer iterations, such as 10000");
}
