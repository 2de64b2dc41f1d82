//! A certificate of our own, for those who have none: signed by an authority of our own.
//!
//! | file | what |
//! |---|---|
//! | `ca.pem` | the authority, for ten years: what clients are told to trust |
//! | `ca.key` | its key. Needed once a year; kept elsewhere, nobody who comes in here can make certificates |
//! | `server.pem` | the certificate of this server, for a year: renewed a month before its end, and when its names change |
//! | `server.key` | its key. It stays when the certificate is renewed, so that only one file changes |

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use punctual_model::time::{Date, TICKS_PER_DAY, Timestamp};
use rcgen::{
    BasicConstraints, Certificate, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};
use rustls::RootCertStore;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};

use super::TlsError;
use super::files::{Files, provider, read, read_certificates};

/// The files of our own authority, and the names that its certificate has to have.
#[derive(Clone, Debug)]
pub(super) struct SelfSigned {
    directory: PathBuf,
    names: Vec<String>,
}

/// As long as a machine lives: clients have to be told again what to trust afterwards.
const AUTHORITY_DAYS: i64 = 3653;
/// Some clients take no certificate that lasts much longer than a year, whoever has signed it.
const CERTIFICATE_DAYS: i64 = 365;
/// How long before its end a certificate is renewed.
const RENEWAL_DAYS: i64 = 30;
/// Clocks of clients differ: what begins today may begin tomorrow for one of them.
const BACKDATED_DAYS: i64 = 1;

impl SelfSigned {
    /// For a server that listens on that address.
    pub(super) fn new(directory: &Path, listen: IpAddr) -> Self {
        let mut addresses = vec![IpAddr::from(Ipv4Addr::LOCALHOST), IpAddr::from(Ipv6Addr::LOCALHOST)];
        if !listen.is_unspecified() && !addresses.contains(&listen) {
            addresses.push(listen);
        }
        let names = ["localhost".to_owned()].into_iter().chain(host_name());
        let names = names.chain(addresses.iter().map(ToString::to_string)).collect();
        Self { directory: directory.to_owned(), names }
    }

    /// The certificate of the server and its key.
    pub(super) fn files(&self) -> Files {
        Files { certificate: self.file("server.pem"), key: self.file("server.key") }
    }

    /// Makes what is missing or runs out soon. What is there stays if that fails.
    pub(super) fn renew(&self, now: Timestamp) -> Result<(), TlsError> {
        if self.is_good(now, RENEWAL_DAYS) {
            return Ok(());
        }
        fs::create_dir_all(&self.directory)
            .map_err(|reason| TlsError::Unwritable { file: self.directory.clone(), reason })?;
        let authority = self.file("ca.pem");
        let authority_key = if authority.exists() { self.read_key("ca.key")? } else { self.make_authority(now)? };
        let certificate = self.make_certificate(&authority_key, now)?;
        // Without this a key that is not that of `ca.pem` would be noticed by the clients only.
        self.check_trust(&[certificate.der().clone()], now)
            .map_err(|reason| TlsError::Authority { authority, reason })?;
        self.write("server.pem", &certificate.pem(), PUBLIC)
    }

    /// Whether the files can be used, `days` from now.
    pub(super) fn is_good(&self, now: Timestamp, days: i64) -> bool {
        let then = now.saturating_add(days * TICKS_PER_DAY);
        let files = self.files();
        files.read().is_ok()
            && read_certificates(&files.certificate).is_ok_and(|chain| self.check_trust(&chain, then).is_ok())
    }

    /// Says why a client that trusts `ca.pem` does not take a certificate under one of our names.
    fn check_trust(&self, chain: &[CertificateDer<'_>], now: Timestamp) -> Result<(), String> {
        let explain = |error: &dyn std::error::Error| error.to_string();
        let mut roots = RootCertStore::empty();
        for root in read_certificates(&self.file("ca.pem")).map_err(|error| explain(&error))? {
            roots.add(root).map_err(|error| explain(&error))?;
        }
        let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider());
        let verifier = verifier.build().map_err(|error| explain(&error))?;
        let now = UnixTime::since_unix_epoch(Duration::from_secs(now.seconds().try_into().unwrap_or(0)));
        for name in &self.names {
            let name = ServerName::try_from(name.as_str()).map_err(|error| explain(&error))?;
            verifier.verify_server_cert(&chain[0], &chain[1..], &name, &[], now).map_err(|error| explain(&error))?;
        }
        Ok(())
    }

    fn make_authority(&self, now: Timestamp) -> Result<KeyPair, TlsError> {
        let key = KeyPair::generate().map_err(|error| self.refused(&error))?;
        let mut params = authority();
        set_validity(&mut params, now, AUTHORITY_DAYS);
        let certificate = params.self_signed(&key).map_err(|error| self.refused(&error))?;
        // The certificate last: where it is missing, both are made again.
        self.write("ca.key", &key.serialize_pem(), SECRET)?;
        self.write("ca.pem", &certificate.pem(), PUBLIC)?;
        Ok(key)
    }

    fn make_certificate(&self, authority_key: &KeyPair, now: Timestamp) -> Result<Certificate, TlsError> {
        let key = self.read_key("server.key").or_else(|_| {
            let key = KeyPair::generate().map_err(|error| self.refused(&error))?;
            self.write("server.key", &key.serialize_pem(), SECRET)?;
            Ok(key)
        })?;
        let issuer = Issuer::new(authority(), authority_key);
        let mut params = CertificateParams::new(self.names.clone()).map_err(|error| self.refused(&error))?;
        params.distinguished_name.push(DnType::CommonName, "Punctual");
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.use_authority_key_identifier_extension = true;
        set_validity(&mut params, now, CERTIFICATE_DAYS);
        params.signed_by(&key, &issuer).map_err(|error| self.refused(&error))
    }

    fn read_key(&self, name: &str) -> Result<KeyPair, TlsError> {
        let file = self.file(name);
        let text = String::from_utf8(read(&file)?).ok();
        text.and_then(|text| KeyPair::from_pem(&text).ok()).ok_or(TlsError::NoKey { file })
    }

    /// Writes a file so that it is never seen half written, nor for a moment by someone who may not.
    fn write(&self, name: &str, text: &str, mode: u32) -> Result<(), TlsError> {
        let file = self.file(name);
        let draft = self.file(&format!("{name}.new"));
        let written = remove_if_there(&draft).and_then(|()| {
            let mut open = OpenOptions::new().write(true).create_new(true).mode(mode).open(&draft)?;
            open.write_all(text.as_bytes())?;
            open.sync_all()?;
            fs::rename(&draft, &file)
        });
        written.map_err(|reason| TlsError::Unwritable { file, reason })
    }

    fn file(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    fn refused(&self, error: &rcgen::Error) -> TlsError {
        TlsError::Authority { authority: self.file("ca.pem"), reason: error.to_string() }
    }
}

const SECRET: u32 = 0o600;
const PUBLIC: u32 = 0o644;

/// What every authority of ours says about itself, so that the next certificate needs only its key.
fn authority() -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, "Punctual local authority");
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params
}

/// Makes a certificate begin at a midnight (UTC) shortly before `now` and end at one that number of days after it.
fn set_validity(params: &mut CertificateParams, now: Timestamp, days: i64) {
    let midnight = |days: i64| {
        let number = now.saturating_add(days * TICKS_PER_DAY).ticks().div_euclid(TICKS_PER_DAY);
        let date = Date::from_day_number(i32::try_from(number).expect("the days of 9999 years fit"));
        date_time_ymd(date.year, date.month.number(), date.day)
    };
    params.not_before = midnight(-BACKDATED_DAYS);
    params.not_after = midnight(days);
}

/// The name of this machine, if it has one that can stand in a certificate.
fn host_name() -> Option<String> {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").ok()?.trim().to_lowercase();
    let is_new = name != "localhost" && ServerName::try_from(name.as_str()).is_ok();
    is_new.then_some(name)
}

fn remove_if_there(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests;
