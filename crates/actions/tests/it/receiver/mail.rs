//! A mail server that answers as a test tells it, and keeps what it was told.

use std::sync::{Arc, Mutex};

use rustls::ServerConfig;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// A running mail server. It ends with its runtime.
pub(crate) struct MailReceiver {
    pub(crate) port: u16,
    lines: Arc<Mutex<Vec<String>>>,
}

/// How it behaves.
pub(crate) struct Manners {
    /// TLS from the first byte.
    pub(crate) implicit: Option<ServerConfig>,
    /// TLS after STARTTLS.
    pub(crate) starttls: Option<ServerConfig>,
    /// What it says to a command, beginning with the greeting as an answer to nothing; usual answers where it says nothing.
    pub(crate) script: fn(&str) -> Option<&'static str>,
}

impl MailReceiver {
    pub(crate) async fn start(manners: Manners) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let lines = Arc::new(Mutex::new(Vec::new()));
        let said = Arc::clone(&lines);
        let acceptor = |config: Option<ServerConfig>| config.map(|config| TlsAcceptor::from(Arc::new(config)));
        let (implicit, starttls) = (acceptor(manners.implicit), acceptor(manners.starttls));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (implicit, starttls, said) = (implicit.clone(), starttls.clone(), Arc::clone(&said));
                tokio::spawn(async move {
                    let talk = Talk { said, script: manners.script };
                    if let Some(acceptor) = implicit {
                        talk.go_on(acceptor.accept(stream).await.ok()?, true, false).await;
                    } else if let Some(clear) = talk.go_on(stream, true, starttls.is_some()).await {
                        talk.note("(TLS)");
                        talk.go_on(starttls?.accept(clear).await.ok()?, false, false).await;
                    }
                    Some(())
                });
            }
        });
        Self { port, lines }
    }

    /// All lines that it was told.
    pub(crate) fn heard(&self) -> String {
        self.lines.lock().unwrap().join("\n")
    }
}

struct Talk {
    said: Arc<Mutex<Vec<String>>>,
    script: fn(&str) -> Option<&'static str>,
}

impl Talk {
    fn note(&self, line: &str) {
        self.said.lock().unwrap().push(line.to_owned());
    }

    /// Talks to a client. Returns the connection if the client wants to go on under TLS.
    async fn go_on<S: AsyncRead + AsyncWrite + Unpin>(&self, stream: S, greets: bool, offers_tls: bool) -> Option<S> {
        let mut stream = BufReader::new(stream);
        if greets {
            let greeting = (self.script)("").unwrap_or("220 mail.example.com ready\r\n");
            stream.write_all(greeting.as_bytes()).await.ok()?;
        }
        let mut is_message = false;
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line).await.ok()? == 0 {
                return None;
            }
            let line = line.trim_end_matches("\r\n");
            self.note(line);
            if is_message && line != "." {
                continue;
            }
            is_message = line == "DATA" && (self.script)(line).is_none();
            let answer = (self.script)(line).unwrap_or_else(|| usual_answer(line, offers_tls));
            stream.write_all(answer.as_bytes()).await.ok()?;
            if line == "STARTTLS" && answer.starts_with("220") {
                return Some(stream.into_inner());
            }
        }
    }
}

fn usual_answer(line: &str, offers_tls: bool) -> &'static str {
    match line.split(' ').next().unwrap_or_default() {
        "EHLO" if offers_tls => "250-mail.example.com\r\n250-STARTTLS\r\n250 SIZE 1000000\r\n",
        "EHLO" => "250-mail.example.com\r\n250-AUTH PLAIN LOGIN\r\n250 SIZE 1000000\r\n",
        "STARTTLS" => "220 2.0.0 go ahead\r\n",
        "AUTH" => "235 2.7.0 welcome\r\n",
        "DATA" => "354 go on\r\n",
        "." => "250 2.0.0 queued as 4711\r\n",
        "QUIT" => "221 bye\r\n",
        _ => "250 2.1.0 ok\r\n",
    }
}
