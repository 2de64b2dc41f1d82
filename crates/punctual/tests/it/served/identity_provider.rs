//! An identity provider that only the operator's proxy can reach, and only the operator's authority vouches for.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::Served;

/// A name that no name server knows.
const ISSUER: &str = "https://id.example.invalid";

/// A proxy with the provider behind it: whoever asks for a tunnel talks to the provider.
struct Provider {
    proxy_port: u16,
    ca_pem: String,
    /// The first line of each request, to the proxy and to the provider.
    lines: Receiver<String>,
}

impl Provider {
    fn start() -> Self {
        let mut authority = CertificateParams::new(Vec::new()).unwrap();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec!["id.example.invalid".to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &authority).unwrap();
        let provider = rustls::crypto::aws_lc_rs::default_provider();
        let config =
            ServerConfig::builder_with_provider(provider.into()).with_safe_default_protocol_versions().unwrap();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let config = config.with_no_client_auth().with_single_cert(vec![certificate.der().clone()], key).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy_port = listener.local_addr().unwrap().port();
        let (sender, lines) = channel();
        let config = Arc::new(config);
        // It ends with the process.
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let _ = serve(stream, &config, |line| sender.send(line).unwrap());
            }
        });
        Self { proxy_port, ca_pem: authority.pem(), lines }
    }
}

fn serve(mut stream: TcpStream, config: &Arc<ServerConfig>, heard: impl Fn(String)) -> io::Result<()> {
    heard(read_head(&mut stream)?);
    stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n")?;
    let mut stream = StreamOwned::new(ServerConnection::new(Arc::clone(config)).unwrap(), stream);
    let line = read_head(&mut stream)?;
    let body = if line.contains("openid-configuration") {
        format!(r#"{{"issuer": "{ISSUER}", "jwks_uri": "{ISSUER}/keys"}}"#)
    } else {
        r#"{"keys": []}"#.to_owned()
    };
    heard(line);
    write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())?;
    stream.flush()
}

/// The first line of a request. No byte behind its head is read: what follows belongs to TLS.
fn read_head(stream: &mut impl io::Read) -> io::Result<String> {
    let mut stream = BufReader::with_capacity(1, stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(head.lines().next().unwrap_or_default().to_owned())
}

#[test]
fn its_keys_come_through_the_proxy_and_by_the_private_authority() {
    let provider = Provider::start();
    let data = tempfile::tempdir().unwrap();
    let [ca, config] = ["ca.pem", "punctual.toml"].map(|name| data.path().join(name));
    std::fs::write(&ca, &provider.ca_pem).unwrap();
    let settings = format!(
        "[outbound]\nproxy = \"http://127.0.0.1:{}\"\nca = {ca:?}\n[[auth.issuers]]\nissuer = \"{ISSUER}\"\naudience = \"us\"\n",
        provider.proxy_port
    );
    std::fs::write(&config, settings).unwrap();
    let served = Served::start_with(data.path(), &["--config", config.to_str().unwrap()]);
    // {"alg":"ES256","kid":"k"}.{"iss":…,"aud":"us","exp":4000000000}, signed by nobody.
    let token = "eyJhbGciOiJFUzI1NiIsImtpZCI6ImsifQ.\
                 eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUuaW52YWxpZCIsImF1ZCI6InVzIiwiZXhwIjo0MDAwMDAwMDAwfQ.c2ln";
    let mut client = super::http::Client::new(served.port, token.to_owned());
    let answer = client.call("GET", "/v1/jobs", "").unwrap();
    assert_eq!(answer.status, 401, "{answer:?}");
    let lines: Vec<String> = provider.lines.try_iter().collect();
    let asked = ["CONNECT id.example.invalid:443 HTTP/1.1", "GET /.well-known/openid-configuration HTTP/1.1"];
    assert_eq!(
        lines,
        [asked, ["CONNECT id.example.invalid:443 HTTP/1.1", "GET /keys HTTP/1.1"]].concat(),
        "{answer:?}"
    );
}
