//! What the usual programs write is read.

use aws_lc_rs::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use insta::assert_snapshot;

use super::{PASSWORD, fixture, read, shown};

fn of(name: &str, password: &str) -> String {
    shown(read(&fixture(name), password))
}

/// One line for each of the files.
fn all(names: &[&str]) -> String {
    let lines: Vec<_> = names.iter().map(|name| format!("{name}: {}", of(name, PASSWORD))).collect();
    lines.join("\n")
}

#[test]
fn of_openssl() {
    assert_snapshot!(all(&["openssl3", "openssl1"]), @"
    openssl3: CN=rsa.example 6472F9923EC04F7F62DAD02B811451C38052BCDB from 1794743451 until 4948343451, chain 1, key 1218
    openssl1: CN=rsa.example 6472F9923EC04F7F62DAD02B811451C38052BCDB from 1794743451 until 4948343451, chain 1, key 1218
    ");
}

#[test]
fn of_windows() {
    assert_snapshot!(all(&["windows", "windows_aes"]), @"
    windows: CN=rsa.example 6472F9923EC04F7F62DAD02B811451C38052BCDB from 1794743451 until 4948343451, chain 1, key 1233
    windows_aes: CN=rsa.example 6472F9923EC04F7F62DAD02B811451C38052BCDB from 1794743451 until 4948343451, chain 1, key 1233
    ");
}

#[test]
fn with_other_ciphers_and_hashes() {
    assert_snapshot!(all(&["aes128", "aes192_sha512", "pbes2_3des_sha384", "rc2_128_sha224"]), @"
    aes128: CN=P-256.example 1F3E8D7F5D84B68C37C33DB9DF891D9F41FEC484 from 1794743451 until 4948343451, chain 1, key 138
    aes192_sha512: CN=P-256.example 1F3E8D7F5D84B68C37C33DB9DF891D9F41FEC484 from 1794743451 until 4948343451, chain 1, key 138
    pbes2_3des_sha384: CN=P-256.example 1F3E8D7F5D84B68C37C33DB9DF891D9F41FEC484 from 1794743451 until 4948343451, chain 1, key 138
    rc2_128_sha224: CN=P-256.example 1F3E8D7F5D84B68C37C33DB9DF891D9F41FEC484 from 1794743451 until 4948343451, chain 1, key 138
    ");
}

#[test]
fn with_other_keys() {
    assert_snapshot!(all(&["p384", "p521", "ed25519"]), @"
    p384: CN=P-384.example DDB9CF929CE68CD650E172EF4EDD748D2E01A8DE from 1794743451 until 4948343451, chain 1, key 185
    p521: CN=P-521.example B6A8EF23A97B7D7380017090BBFA47DB85718145 from 1794743451 until 4948343451, chain 1, key 241
    ed25519: CN=ed25519.example D41A36748F8E8D05DED4E10185CBD9B8D68F4F5E from 1794743451 until 4948343451, chain 1, key 48
    ");
}

#[test]
fn with_other_passwords() {
    for name in ["empty_password", "empty_password_3des"] {
        assert_eq!(of(name, ""), of("aes128", PASSWORD), "{name}");
    }
    for name in ["unicode_password", "unicode_password_3des"] {
        assert_eq!(of(name, "Grüße-日本-😀"), of("aes128", PASSWORD), "{name}");
    }
}

#[test]
fn with_little_protection() {
    for name in ["no_mac", "no_encryption", "one_round"] {
        assert_eq!(of(name, PASSWORD), of("aes128", PASSWORD), "{name}");
    }
}

/// The certificates are in another order in the file, and one of them has nothing to do with it.
#[test]
fn with_the_certificates_of_the_issuers() {
    let identity = read(&fixture("chain"), PASSWORD).unwrap();
    assert_snapshot!(shown(Ok(identity.clone())), @r#"CN=\ Straße\, Tür 5\ ,O=Bäcker+OU=\#1 \"Süd\"\; \<Nord\>,C=DE,DC=com,DC=example B1E7F158D681287E682B23D5BCF2A215640DF83B from 1794743451 until 4905143451, chain 3, key 138"#);
    let names = ["Stra\u{df}e", "Middle", "Root"];
    for (der, name) in identity.chain.iter().zip(names) {
        // The subject comes after the issuer, so it is the last one that is named.
        let text = String::from_utf8_lossy(der);
        let last = names.into_iter().max_by_key(|name| text.rfind(name));
        assert_eq!(last, Some(name));
    }
}

#[test]
fn the_thumbprint_is_that_of_the_first_certificate() {
    let identity = read(&fixture("chain"), PASSWORD).unwrap();
    let hash = digest(&SHA1_FOR_LEGACY_USE_ONLY, &identity.chain[0]);
    assert_eq!(identity.thumbprint, format!("{hash:?}").split(':').next_back().unwrap().to_uppercase());
}

#[test]
fn an_identity_does_not_show_its_key() {
    let identity = read(&fixture("ed25519"), PASSWORD).unwrap();
    assert!(format!("{identity:?}").contains("key: PrivateKey(…)"));
}
