//! HTTPS: certificates from files, new ones, broken ones, and our own.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use insta::assert_snapshot;
use rustls::RootCertStore;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::client::{Http2, Wire};
use super::{SHORT, Server, ServerConfig, config, run, start};
use crate::clock::SystemClock;
use crate::server::{TlsError, TlsSource};

#[tokio::test]
async fn https_is_spoken_in_both_versions() {
    let directory = TempDir::new().unwrap();
    let files = write_certificate(directory.path());
    let server = start(with(files.source())).await;
    let stream = connect(server.address, &files.certificate, "localhost", &["h2", "http/1.1"]).await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    assert_eq!(Http2::over(stream).await.ask("/who", "").await.unwrap().1, "HTTP/2.0 tls=true");
    let stream = connect(server.address, &files.certificate, "localhost", &[]).await.unwrap();
    assert!(Wire::over(stream).get("/who").await.ends_with("HTTP/1.1 tls=true"));
}

#[tokio::test]
async fn who_does_not_begin_tls_is_cut_off() {
    let directory = TempDir::new().unwrap();
    let source = write_certificate(directory.path()).source();
    let server = start(ServerConfig { header_time_max: SHORT, ..with(source) }).await;
    for beginning in ["", "\u{1}"] {
        let mut wire = Wire::connect(server.address).await;
        wire.send(beginning).await;
        wire.assert_cut_off().await;
    }
}

#[tokio::test]
async fn who_speaks_http_to_a_port_with_tls_is_told_so() {
    let directory = TempDir::new().unwrap();
    let server = start(with(write_certificate(directory.path()).source())).await;
    assert_snapshot!(Wire::connect(server.address).await.get("/").await, @r#"
    HTTP/1.1 400 Bad Request
    content-type: application/json; charset=utf-8
    connection: close
    content-length: 100

    {"error":{"code":"BadRequest","message":"This port speaks HTTPS: begin the address with https://."}}
    "#);
}

#[tokio::test]
async fn a_new_certificate_is_used_and_a_broken_one_is_not() {
    let directory = TempDir::new().unwrap();
    let files = write_certificate(directory.path());
    let server = Server::bind(with(files.source())).await.unwrap();
    let certificates = server.certificates.clone().unwrap();
    let server = run(server);
    let shown = async || {
        let stream = connect(server.address, &files.certificate, "localhost", &[]).await.ok()?;
        stream.get_ref().1.peer_certificates().map(|chain| chain[0].clone().into_owned())
    };
    let first = shown().await.unwrap();

    write_certificate(directory.path());
    // The client trusts the new one only. The server may have looked at the files already, as it does from time to time.
    assert_ne!(shown().await.as_ref(), Some(&first));
    certificates.reload();
    let second = shown().await.unwrap();
    assert_ne!(first, second);

    let good = fs::read(&files.certificate).unwrap();
    fs::write(&files.certificate, "not a certificate").unwrap();
    certificates.reload();
    fs::write(&files.certificate, &good).unwrap();
    assert_eq!(shown().await.unwrap(), second);

    fs::remove_file(&files.key).unwrap();
    certificates.reload();
    assert_eq!(shown().await.unwrap(), second);

    write_certificate(directory.path());
    certificates.reload();
    assert_ne!(shown().await.unwrap(), second);
}

#[tokio::test]
async fn files_that_cannot_be_used_are_named_at_the_start() {
    let directory = TempDir::new().unwrap();
    let [mine, other] = ["mine", "other"].map(|name| {
        fs::create_dir(directory.path().join(name)).unwrap();
        write_certificate(&directory.path().join(name))
    });
    let garbled = directory.path().join("garbled.pem");
    fs::write(&garbled, "-----BEGIN PRIVATE KEY-----\nc2VjcmV0 secret\n-----END PRIVATE KEY-----\n").unwrap();
    let mut errors = Vec::new();
    for (certificate, key) in [
        (&directory.path().join("missing.pem"), &mine.key),
        (&mine.certificate, &directory.path().join("missing.key")),
        (&mine.key, &mine.key),
        (&mine.certificate, &mine.certificate),
        (&mine.certificate, &garbled),
        (&mine.certificate, &other.key),
    ] {
        let source = TlsSource::Files { certificate: certificate.clone(), key: key.clone() };
        let error = Server::bind(with(source)).await.err().expect("it does not start").to_string();
        errors.push(error.replace(&directory.path().display().to_string(), "tls"));
    }
    assert_snapshot!(errors.join("\n"), @"
    cannot read tls/missing.pem: No such file or directory (os error 2)
    cannot read tls/missing.key: No such file or directory (os error 2)
    tls/mine/key.pem holds no certificate in PEM form (-----BEGIN CERTIFICATE-----)
    tls/mine/certificate.pem holds no private key in PEM form (-----BEGIN PRIVATE KEY-----), or one with a password
    tls/mine/certificate.pem with tls/garbled.pem cannot be used for TLS: unexpected error: failed to parse private key as RSA, ECDSA, or EdDSA
    the private key in tls/other/key.pem is not that of the first certificate in tls/mine/certificate.pem
    ");
}

#[tokio::test]
async fn our_own_certificate_is_taken_by_who_trusts_our_authority() {
    let directory = TempDir::new().unwrap();
    let source = TlsSource::SelfSigned { directory: directory.path().join("tls"), clock: SystemClock };
    let server = start(with(source)).await;
    let authority = directory.path().join("tls/ca.pem");
    for name in ["localhost", "127.0.0.1", "::1"] {
        let stream = connect(server.address, &authority, name, &[]).await.unwrap();
        assert!(Wire::over(stream).get("/who").await.ends_with("tls=true"), "{name}");
    }
    connect(server.address, &authority, "example.com", &[]).await.expect_err("not our name");
    let stranger = write_certificate(directory.path()).certificate;
    connect(server.address, &stranger, "localhost", &[]).await.expect_err("not our authority");
}

#[tokio::test]
async fn our_own_certificate_needs_a_place() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "").unwrap();
    let source = TlsSource::SelfSigned { directory: file.join("tls"), clock: SystemClock };
    let error = Server::bind(with(source)).await.err().expect("it does not start");
    assert!(matches!(error, crate::server::BindError::Tls(TlsError::Unwritable { .. })), "{error}");
}

fn with(source: TlsSource) -> ServerConfig {
    ServerConfig { tls: Some(source), ..config() }
}

struct Files {
    certificate: PathBuf,
    key: PathBuf,
}

impl Files {
    fn source(&self) -> TlsSource {
        TlsSource::Files { certificate: self.certificate.clone(), key: self.key.clone() }
    }
}

/// A new certificate for `localhost`, in files of the same names each time.
fn write_certificate(directory: &Path) -> Files {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let files = Files { certificate: directory.join("certificate.pem"), key: directory.join("key.pem") };
    fs::write(&files.certificate, made.cert.pem()).unwrap();
    fs::write(&files.key, made.signing_key.serialize_pem()).unwrap();
    files
}

/// A client that trusts one certificate, and asks for that name.
async fn connect(
    address: SocketAddr,
    trusted: &Path,
    name: &str,
    protocols: &[&str],
) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(trusted).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let mut client = builder.with_root_certificates(roots).with_no_client_auth();
    client.alpn_protocols = protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
    let stream = TcpStream::connect(address).await.unwrap();
    TlsConnector::from(Arc::new(client)).connect(ServerName::try_from(name.to_owned()).unwrap(), stream).await
}
