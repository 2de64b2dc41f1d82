//! The client of our own API.

use std::process;
use std::time::Duration;

use anyhow::{Context, anyhow};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use punctual_actions::{OperatorAnswer, OperatorClient, OperatorRequest, Precondition};
use serde_json::Value;
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use crate::cli::failure::{Failure, print_note};

/// More than the longest answer has.
const ANSWER_BYTES_MAX: usize = 64 << 20;
/// Longer than the longest answer takes.
const TIME_MAX: Duration = Duration::from_mins(2);
/// As long as somebody waits who types.
const IMPATIENT_TIME_MAX: Duration = Duration::from_secs(1);
/// Longer than the server lets a stream last.
const STREAM_TIME_MAX: Duration = Duration::from_hours(1);
/// Longer than the server is silent in one, several times over.
const SILENCE_TIME_MAX: Duration = Duration::from_mins(1);

/// The exit status of a command that was interrupted: the one that shells give it.
const INTERRUPTED: i32 = 130;

/// A server that can be asked.
pub(crate) struct Server {
    runtime: Runtime,
    client: OperatorClient,
    url: String,
    token: Option<String>,
    /// How long an answer may take.
    time_max: Duration,
}

/// A value as it stands in a query.
pub(super) fn encode(value: &str) -> String {
    utf8_percent_encode(value, NON_ALPHANUMERIC).to_string()
}

impl Server {
    /// A server at that address, to which the token is shown; nothing is sent yet.
    pub(super) fn new(url: &str, token: Option<String>, ca: Option<&[u8]>) -> Result<Self, Failure> {
        let client = OperatorClient::new(None, ca).context("--ca")?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(Self { runtime, client, url: url.trim_end_matches('/').to_owned(), token, time_max: TIME_MAX })
    }

    /// The same server, of which nobody waits long for an answer.
    pub(super) const fn impatient(mut self) -> Self {
        self.time_max = IMPATIENT_TIME_MAX;
        self
    }

    /// Makes a request and returns the body of the answer, if that is one of success.
    pub(super) fn call(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value, Failure> {
        let answer = self.send(method, path, body, None)?;
        let value = json(&answer.body);
        if is_success(&answer) { Ok(value) } else { Err(refused(answer.status, &value)) }
    }

    /// Makes a request with a body that is JSON already, and returns the body of the answer, if that is one of success.
    pub(super) fn call_text(&self, method: &str, path: &str, body: &str) -> Result<Value, Failure> {
        let answer = self.send_text(method, path, body, None)?;
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
        self.write_with("PUT", path, body, tag.map_or(Precondition::Absent, Precondition::Match))
    }

    /// Lays something over the version with that tag. Returns nothing, and has written nothing, if something else is there by now.
    pub(super) fn patch(&self, path: &str, body: &Value, tag: &str) -> Result<Option<Value>, Failure> {
        self.write_with("PATCH", path, body, Precondition::Match(tag))
    }

    fn write_with(
        &self,
        method: &str,
        path: &str,
        body: &Value,
        precondition: Precondition<'_>,
    ) -> Result<Option<Value>, Failure> {
        let answer = self.send(method, path, Some(body), Some(precondition))?;
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
        self.send_text(method, path, &body.map(Value::to_string).unwrap_or_default(), precondition)
    }

    fn send_text(
        &self,
        method: &str,
        path: &str,
        body: &str,
        precondition: Option<Precondition<'_>>,
    ) -> Result<OperatorAnswer, Failure> {
        let url = format!("{}{path}", self.url);
        let request = OperatorRequest { method, url: &url, bearer: self.token.as_deref(), body, precondition };
        let answer = self.runtime.block_on(self.client.send(request, ANSWER_BYTES_MAX, self.time_max));
        answer.map_err(|reason| self.unreachable(&reason))
    }

    /// Asks for something that is no JSON.
    pub(super) fn text(&self, path: &str) -> Result<String, Failure> {
        let url = format!("{}{path}", self.url);
        let request =
            OperatorRequest { method: "GET", url: &url, bearer: self.token.as_deref(), body: "", precondition: None };
        let answer = self.runtime.block_on(self.client.send(request, ANSWER_BYTES_MAX, self.time_max));
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
