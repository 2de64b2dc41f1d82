//! The client of our own API.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow};
use clap::Args;
use punctual_model::Violation;
use reqwest::{Certificate, Client, Method, RequestBuilder, StatusCode};
use serde_json::Value;
use tokio::runtime::Runtime;
use tokio::time::timeout;

use crate::cli::failure::Failure;

const URL_DEFAULT: &str = "http://127.0.0.1:7878";
/// Where `serve` leaves the owner token if nobody tells it otherwise.
const TOKEN_FILE_DEFAULT: &str = "punctual-data/owner.token";
/// Longer than the longest answer takes.
const TIME_MAX: Duration = Duration::from_mins(2);
/// Longer than the server lets a stream last.
const STREAM_TIME_MAX: Duration = Duration::from_hours(1);
/// Longer than the server is silent in one, several times over.
const SILENCE_TIME_MAX: Duration = Duration::from_mins(1);

/// Which server is asked, and who asks.
#[derive(Args)]
pub(super) struct Connection {
    /// The address of the server [default: what PUNCTUAL_URL says, else http://127.0.0.1:7878]
    #[arg(long, value_name = "URL")]
    url: Option<String>,

    /// A file with the token [default: the token that PUNCTUAL_TOKEN holds, else punctual-data/owner.token]
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,

    /// A file with the certificate that vouches for the server, as PEM
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
}

/// A server that can be asked.
pub(super) struct Server {
    runtime: Runtime,
    client: Client,
    url: String,
    token: Option<String>,
}

impl Connection {
    /// Reads what is needed; nothing is sent yet.
    pub(super) fn open(&self) -> Result<Server, Failure> {
        let url = self.url.clone().or_else(|| variable("PUNCTUAL_URL")).unwrap_or_else(|| URL_DEFAULT.to_owned());
        if !url.starts_with("http://") && !url.starts_with("https://") {
            return Err(Violation::new("--url", format!("{url:?}"), "an address such as http://127.0.0.1:7878").into());
        }
        let mut client = Client::builder().timeout(TIME_MAX).no_proxy();
        if let Some(file) = &self.ca {
            let pem = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
            let certificate = Certificate::from_pem(&pem);
            client = client.add_root_certificate(certificate.with_context(|| format!("in {}", file.display()))?);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let client = client.build().context("cannot make an HTTP client")?;
        Ok(Server { runtime, client, url: url.trim_end_matches('/').to_owned(), token: self.token()? })
    }

    fn token(&self) -> Result<Option<String>, Failure> {
        let read = |file: &Path| fs::read_to_string(file).map(|text| text.trim().to_owned());
        match &self.token_file {
            Some(file) => Ok(Some(read(file).with_context(|| format!("cannot read {}", file.display()))?)),
            None => Ok(variable("PUNCTUAL_TOKEN").or_else(|| read(Path::new(TOKEN_FILE_DEFAULT)).ok())),
        }
    }
}

fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

impl Server {
    /// Asks, and gives the answer if it is a good one.
    pub(super) fn call(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Value, Failure> {
        self.runtime.block_on(self.send(method, path, body))
    }

    /// Asks for what goes on, and gives it line by line until it ends.
    pub(super) fn lines(&self, path: &str, each: impl FnMut(&str) -> Result<(), Failure>) -> Result<(), Failure> {
        self.runtime.block_on(self.read_lines(path, each))
    }

    async fn send(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Value, Failure> {
        let mut request = self.request(method, path);
        if let Some(body) = body {
            request = request.body(body.to_string());
        }
        let response = request.send().await.map_err(|error| self.unreachable(error))?;
        let status = response.status();
        let text = response.text().await.map_err(|error| self.unreachable(error))?;
        let answer = if text.is_empty() { Value::Null } else { serde_json::from_str(&text).unwrap_or(Value::Null) };
        if status.is_success() { Ok(answer) } else { Err(refused(status, &answer)) }
    }

    async fn read_lines(&self, path: &str, mut each: impl FnMut(&str) -> Result<(), Failure>) -> Result<(), Failure> {
        let request = self.request(Method::GET, path).timeout(STREAM_TIME_MAX);
        let mut response = request.send().await.map_err(|error| self.unreachable(error))?;
        let status = response.status();
        if !status.is_success() {
            let text = response.text().await.map_err(|error| self.unreachable(error))?;
            return Err(refused(status, &serde_json::from_str(&text).unwrap_or(Value::Null)));
        }
        let mut begun = Vec::new();
        loop {
            let silence = |_| Failure::Unreachable(anyhow!("{} has fallen silent", self.url));
            let came = timeout(SILENCE_TIME_MAX, response.chunk()).await.map_err(silence)?;
            let Some(bytes) = came.map_err(|error| self.unreachable(error))? else { return Ok(()) };
            begun.extend_from_slice(&bytes);
            while let Some(end) = begun.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = begun.drain(..=end).collect();
                each(String::from_utf8_lossy(&line).trim_end())?;
            }
        }
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", self.url));
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    fn unreachable(&self, error: reqwest::Error) -> Failure {
        Failure::Unreachable(anyhow::Error::new(error.without_url()).context(format!("cannot reach {}", self.url)))
    }
}

/// Everything that is wrong, each with where it stands.
fn details(answer: &Value) -> Option<Vec<String>> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let details = answer["error"]["details"].as_array().filter(|details| !details.is_empty())?;
    Some(details.iter().map(|detail| format!("{}: {}", text(&detail["target"]), text(&detail["message"]))).collect())
}

fn refused(status: StatusCode, answer: &Value) -> Failure {
    let message = answer["error"]["message"].as_str();
    let message = message.map_or_else(|| format!("the server answered {status}"), ToOwned::to_owned);
    match status {
        StatusCode::UNAUTHORIZED => {
            Failure::NotAllowed(format!("{message} Set PUNCTUAL_TOKEN, or name a file with --token-file."))
        }
        StatusCode::FORBIDDEN => Failure::NotAllowed(message),
        StatusCode::NOT_FOUND => Failure::NotFound(message),
        StatusCode::BAD_REQUEST => Failure::Refused(details(answer).unwrap_or_else(|| vec![message])),
        _ => Failure::Failed(anyhow!(message)),
    }
}
