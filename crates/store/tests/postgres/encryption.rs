//! Connections that are encrypted, to a server of its own that has a certificate.

use std::fs;
use std::path::Path;

use punctual_store::postgres::{Postgres, Settings};
use punctual_store::seal::Keyring;
use punctual_store::{Error, KeySource};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use tempfile::TempDir;
use tokio_postgres::NoTls;

use crate::server::{self, Certificate};

/// An authority, which makes certificates.
struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    fn issue(&self, host: Option<&str>, common_name: &str) -> Certificate {
        let mut params = CertificateParams::new(host.map(str::to_owned).into_iter().collect::<Vec<_>>()).unwrap();
        params.distinguished_name.push(DnType::CommonName, common_name);
        let key = KeyPair::generate().unwrap();
        let shown = params.signed_by(&key, &self.0).unwrap().pem();
        Certificate { shown, key: key.serialize_pem(), authority: self.0.pem() }
    }
}

fn write(directory: &Path, name: &str, text: &str) -> String {
    let path = directory.join(name);
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// Opens a store with an address, and says what came of it.
async fn open(url: &str, keyring: &str) -> Result<Postgres, Error> {
    Postgres::open(&Settings::parse(url)?, Keyring::parse(keyring).unwrap(), KeySource::Outside).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_is_believed_as_far_as_it_is_asked_to_prove_itself() {
    let Some(programs) = server::programs() else { return };
    let (authority, other, directory) = (Authority::new(), Authority::new(), TempDir::new().unwrap());
    let (_server, socket, port) = server::start_encrypted(&programs, &authority.issue(Some("localhost"), "server"));
    // Who shows no certificate may be `postgres`, and who is `certified` has to show one.
    let url = format!("postgres://postgres@{}:{port}/postgres", socket.replace('/', "%2F"));
    let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute("create role certified superuser login").await.unwrap();
    let keyring = Keyring::generate().unwrap().to_text();
    let ours = write(directory.path(), "ours.pem", &authority.0.pem());
    let theirs = write(directory.path(), "theirs.pem", &other.0.pem());

    let at = |host: &str, rest: &str| format!("postgres://postgres@{host}:{port}/postgres?{rest}");
    for (host, rest, is_right) in [
        // The server takes nobody who does not encrypt.
        ("localhost", "sslmode=disable".to_owned(), false),
        ("localhost", "sslmode=prefer".to_owned(), true),
        ("localhost", String::new(), true),
        ("localhost", "sslmode=require".to_owned(), true),
        ("localhost", format!("sslmode=require&sslrootcert={theirs}"), false),
        ("localhost", format!("sslmode=verify-ca&sslrootcert={ours}"), true),
        ("127.0.0.1", format!("sslmode=verify-ca&sslrootcert={ours}"), true),
        ("localhost", format!("sslmode=verify-ca&sslrootcert={theirs}"), false),
        ("localhost", format!("sslmode=verify-full&sslrootcert={ours}"), true),
        ("127.0.0.1", format!("sslmode=verify-full&sslrootcert={ours}"), false),
        ("localhost", "sslmode=verify-full&sslrootcert=/nowhere.pem".to_owned(), false),
    ] {
        let opened = open(&at(host, &rest), &keyring).await;
        assert_eq!(opened.is_ok(), is_right, "{host} {rest}: {:?}", opened.err());
    }

    let certified = authority.issue(None, "certified");
    let (certificate, key) = (
        write(directory.path(), "client.pem", &certified.shown),
        write(directory.path(), "client.key", &certified.key),
    );
    let at = |rest: &str| {
        format!("postgres://certified@localhost:{port}/postgres?sslmode=verify-full&sslrootcert={ours}{rest}")
    };
    assert!(open(&at(""), &keyring).await.is_err());
    assert!(open(&at(&format!("&sslcert={certificate}")), &keyring).await.is_err(), "a certificate without its key");
    open(&at(&format!("&sslcert={certificate}&sslkey={key}")), &keyring).await.unwrap();
}
