//! How our own certificate is made, kept and renewed.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use insta::assert_snapshot;
use punctual_model::time::{TICKS_PER_DAY, Timestamp};
use tempfile::TempDir;

use super::super::renew_or_keep;
use super::{CERTIFICATE_DAYS, RENEWAL_DAYS, SelfSigned};

/// 2026-01-01, and so many days.
fn day(number: i64) -> Timestamp {
    Timestamp::from_seconds(1_767_225_600).unwrap().saturating_add(number * TICKS_PER_DAY)
}

struct Own {
    directory: TempDir,
    own: SelfSigned,
}

impl Own {
    fn new() -> Self {
        let directory = TempDir::new().unwrap();
        let own = SelfSigned::new(&directory.path().join("tls"), [10, 0, 0, 1].into());
        Self { directory, own }
    }

    /// Which files are different after it was renewed on that day.
    fn changed_by_renewal(&self, number: i64) -> Vec<String> {
        let before = self.files();
        self.own.renew(day(number)).unwrap();
        self.files().into_iter().filter(|(name, text)| before.get(name) != Some(text)).map(|(name, _)| name).collect()
    }

    fn renewal_error(&self, number: i64) -> String {
        let error = self.own.renew(day(number)).unwrap_err().to_string();
        error.replace(&self.directory.path().display().to_string(), "data")
    }

    fn files(&self) -> BTreeMap<String, String> {
        let Ok(entries) = fs::read_dir(&self.own.directory) else { return BTreeMap::new() };
        let files = entries.map(|entry| {
            let path = entry.unwrap().path();
            (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(path).unwrap())
        });
        files.collect()
    }
}

#[test]
fn everything_is_made_once() {
    let own = Own::new();
    assert_eq!(own.changed_by_renewal(0), ["ca.key", "ca.pem", "server.key", "server.pem"]);
    assert_eq!(own.changed_by_renewal(1), [""; 0]);
}

#[test]
fn keys_are_read_by_their_owner_only() {
    let own = Own::new();
    own.changed_by_renewal(0);
    let mode = |name| fs::metadata(own.own.file(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(["ca.key", "server.key"].map(mode), [0o600; 2]);
    for name in ["ca.pem", "server.pem"] {
        assert!(!fs::read_to_string(own.own.file(name)).unwrap().contains("PRIVATE"), "{name}");
    }
}

#[test]
fn a_certificate_is_renewed_a_month_before_its_end() {
    let own = Own::new();
    own.changed_by_renewal(0);
    let last_day = CERTIFICATE_DAYS - RENEWAL_DAYS;
    assert_eq!(own.changed_by_renewal(last_day), [""; 0]);
    assert_eq!(own.changed_by_renewal(last_day + 1), ["server.pem"]);
    assert_eq!(own.changed_by_renewal(last_day + 1), [""; 0]);
    // After a long rest, too.
    assert_eq!(own.changed_by_renewal(2000), ["server.pem"]);
}

#[test]
fn a_certificate_is_renewed_when_the_server_gets_another_address() {
    let own = Own::new();
    own.changed_by_renewal(0);
    let moved = SelfSigned::new(&own.own.directory, [10, 0, 0, 2].into());
    let moved = Own { own: moved, ..own };
    assert_eq!(moved.changed_by_renewal(0), ["server.pem"]);
}

#[test]
fn what_is_lost_or_broken_is_made_again() {
    let own = Own::new();
    own.changed_by_renewal(0);
    fs::remove_file(own.own.file("server.pem")).unwrap();
    assert_eq!(own.changed_by_renewal(0), ["server.pem"]);
    fs::write(own.own.file("server.key"), "broken").unwrap();
    assert_eq!(own.changed_by_renewal(0), ["server.key", "server.pem"]);
    fs::remove_file(own.own.file("ca.pem")).unwrap();
    assert_eq!(own.changed_by_renewal(0), ["ca.key", "ca.pem", "server.pem"]);
}

#[test]
fn the_key_of_the_authority_is_needed_for_renewals_only() {
    let own = Own::new();
    own.changed_by_renewal(0);
    let key = own.own.file("ca.key");
    fs::remove_file(&key).unwrap();
    assert_eq!(own.changed_by_renewal(1), [""; 0]);
    assert_snapshot!(own.renewal_error(350), @"cannot read data/tls/ca.key: No such file or directory (os error 2)");
    // The key of somebody else makes no certificate that clients would take.
    let other = Own::new();
    other.changed_by_renewal(0);
    fs::copy(other.own.file("ca.key"), key).unwrap();
    assert_snapshot!(own.renewal_error(350), @"the authority in data/tls/ca.pem cannot sign a certificate for this server: invalid peer certificate: BadSignature. Remove it to get a new one, which the clients have to be told to trust");
    assert!(own.own.is_good(day(350), 0), "what was there stays");
    assert!(!own.own.is_good(day(400), 0));
}

#[test]
fn failing_to_renew_matters_on_the_last_day_only() {
    let own = Own::new();
    own.changed_by_renewal(0);
    fs::remove_file(own.own.file("ca.key")).unwrap();
    assert!(renew_or_keep(&own.own, day(350)).is_ok());
    assert!(renew_or_keep(&own.own, day(400)).is_err());
}
