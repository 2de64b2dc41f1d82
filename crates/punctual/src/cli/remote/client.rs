//! The client of our own API.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process;
use std::time::Duration;

use anyhow::{Context, anyhow};
use clap::Args;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use punctual_actions::{OperatorAnswer, OperatorClient, OperatorRequest, Precondition};
use punctual_model::Violation;
use serde_json::Value;
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use crate::cli::failure::{Failure, print_note};

const URL_DEFAULT: &str = "http://127.0.0.1:7878";
/// Where `serve` leaves the owner token if nobody tells it otherwise.
const TOKEN_FILE_DEFAULT: &str = "punctual-data/owner.token";
/// More than the longest answer has.
const ANSWER_BYTES_MAX: usize = 64 << 20;
/// Longer than the longest answer takes.
const TIME_MAX: Duration = Duration::from_mins(2);
/// Longer than the server lets a stream last.
const STREAM_TIME_MAX: Duration = Duration::from_hours(1);
/// Longer than the server is silent in one, several times over.
const SILENCE_TIME_MAX: Duration = Duration::from_mins(1);

/// The exit status of a command that was interrupted: the one that shells give it.
const INTERRUPTED: i32 = 130;

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
    client: OperatorClient,
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
        let read = |file: &PathBuf| fs::read(file).with_context(|| format!("cannot read {}", file.display()));
        let ca = self.ca.as_ref().map(read).transpose()?;
        let client = OperatorClient::new(None, ca.as_deref()).context("--ca")?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
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

/// A value as it stands in a query.
pub(super) fn encode(value: &str) -> String {
    utf8_percent_encode(value, NON_ALPHANUMERIC).to_string()
}

fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

impl Server {
    /// Makes a request and returns the body of the answer, if that is one of success.
    pub(super) fn call(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value, Failure> {
        let answer = self.send(method, path, body, None)?;
        let value = json(&answer.body);
        if is_success(&answer) { Ok(value) } else { Err(refused(answer.status, &value)) }
    }

    /// Asks for something that may be written later, with the tag of this version; nothing if it is not there.
    pub(super) fn read(&self, path: &str) -> Result<Option<(Value, String)>, Failure> {
        let answer = self.send("GET", path, None, None)?;
        let value = json(&answer.body);
        match answer.status {
            404 => Ok(None),
            _ if is_success(&answer) => {
                let etag =
                    answer.etag.ok_or_else(|| anyhow!("the answer of {} to GET {path} has no ETag", self.url))?;
                Ok(Some((value, etag)))
            }
            status => Err(refused(status, &value)),
        }
    }

    /// Writes something in the place of the version with that tag, or of nothing. Returns nothing, and has written nothing, if
    /// something else is there by now.
    pub(super) fn write(&self, path: &str, body: &Value, tag: Option<&str>) -> Result<Option<Value>, Failure> {
        let precondition = tag.map_or(Precondition::Absent, Precondition::Match);
        let answer = self.send("PUT", path, Some(body), Some(precondition))?;
        let value = json(&answer.body);
        match answer.status {
            412 => Ok(None),
            _ if is_success(&answer) => Ok(Some(value)),
            status => Err(refused(status, &value)),
        }
    }

    fn send(
        &self,
        method: &str,
        path: &str,
        body: Option<&Value>,
        precondition: Option<Precondition<'_>>,
    ) -> Result<OperatorAnswer, Failure> {
        let (url, body) = (format!("{}{path}", self.url), body.map(Value::to_string).unwrap_or_default());
        let request = OperatorRequest { method, url: &url, bearer: self.token.as_deref(), body: &body, precondition };
        let answer = self.runtime.block_on(self.client.send(request, ANSWER_BYTES_MAX, TIME_MAX));
        answer.map_err(|reason| self.unreachable(&reason))
    }

    /// Asks for something that is no JSON.
    pub(super) fn text(&self, path: &str) -> Result<String, Failure> {
        let url = format!("{}{path}", self.url);
        let request =
            OperatorRequest { method: "GET", url: &url, bearer: self.token.as_deref(), body: "", precondition: None };
        let answer = self.runtime.block_on(self.client.send(request, ANSWER_BYTES_MAX, TIME_MAX));
        let answer = answer.map_err(|reason| self.unreachable(&reason))?;
        if answer.status == 200 {
            Ok(String::from_utf8_lossy(&answer.body).into_owned())
        } else {
            Err(refused(answer.status, &json(&answer.body)))
        }
    }

    /// Requests a stream and hands over its lines, one by one, until it ends or a line cannot be dealt with.
    pub(super) fn lines(
        &self,
        path: &str,
        mut each: impl FnMut(&str) -> Result<(), Failure> + Send,
    ) -> Result<(), Failure> {
        let url = format!("{}{path}", self.url);
        let request =
            OperatorRequest { method: "GET", url: &url, bearer: self.token.as_deref(), body: "", precondition: None };
        let heard = Notify::new();
        let mut begun = Vec::new();
        let mut printed = Ok(());
        let mut take = |status: u16, piece: &[u8]| {
            heard.notify_one();
            begun.extend_from_slice(piece);
            while let Some(end) = begun.iter().position(|byte| status == 200 && printed.is_ok() && *byte == b'\n') {
                let line: Vec<u8> = begun.drain(..=end).collect();
                printed = each(String::from_utf8_lossy(&line).trim_end());
            }
            printed.is_ok()
        };
        let status = self.runtime.block_on(async {
            tokio::select! {
                status = self.client.stream(request, STREAM_TIME_MAX, &mut take) => status,
                () = silence(&heard) => Err("it has fallen silent".to_owned()),
            }
        });
        printed?;
        match status.map_err(|reason| self.unreachable(&reason))? {
            200 => Ok(()),
            status => Err(refused(status, &json(&begun))),
        }
    }

    /// Waits, and hears an interrupt meanwhile.
    pub(super) fn wait(&self, time: Duration) {
        self.runtime.block_on(async { sleep(time).await });
    }

    /// From now on an interrupt ends the command with a last word, while it asks the server or waits.
    pub(super) fn say_on_interrupt(&self, note: String) -> Result<(), Failure> {
        let _inside = self.runtime.enter();
        let mut interrupt = signal(SignalKind::interrupt()).context("cannot hear interrupts")?;
        self.runtime.spawn(async move {
            if interrupt.recv().await.is_some() {
                print_note(&note);
                process::exit(INTERRUPTED);
            }
        });
        Ok(())
    }

    fn unreachable(&self, reason: &str) -> Failure {
        Failure::Unreachable(anyhow!("cannot reach {}: {reason}", self.url))
    }
}

/// Ends when nothing was heard for too long.
async fn silence(heard: &Notify) {
    while timeout(SILENCE_TIME_MAX, heard.notified()).await.is_ok() {}
}

fn is_success(answer: &OperatorAnswer) -> bool {
    (200..=299).contains(&answer.status)
}

/// The JSON in the body of an answer; null where there is none.
fn json(body: &[u8]) -> Value {
    serde_json::from_slice(body).unwrap_or_default()
}

/// Everything that is wrong, each with where it stands.
fn details(answer: &Value) -> Option<Vec<String>> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let details = answer["error"]["details"].as_array().filter(|details| !details.is_empty())?;
    Some(details.iter().map(|detail| format!("{}: {}", text(&detail["target"]), text(&detail["message"]))).collect())
}

fn refused(status: u16, answer: &Value) -> Failure {
    let message = answer["error"]["message"].as_str();
    let message = message.map_or_else(|| format!("the server answered with the status {status}"), ToOwned::to_owned);
    match status {
        401 => Failure::NotAllowed(format!("{message} Set PUNCTUAL_TOKEN, or name a file with --token-file.")),
        403 => Failure::NotAllowed(message),
        404 => Failure::NotFound(message),
        400 => Failure::Refused(details(answer).unwrap_or_else(|| vec![message])),
        _ => Failure::Failed(anyhow!(message)),
    }
}
