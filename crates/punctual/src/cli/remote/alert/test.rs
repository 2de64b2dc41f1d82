//! `punctual alert test`.

use std::thread;
use std::time::Duration;

use anyhow::anyhow;
use clap::Args;
use serde_json::Value;

use super::super::client::Server;
use super::super::connection::Connection;
use super::super::table::text;
use super::path;
use crate::cli::failure::Failure;
use crate::cli::output::{Output, print_lines, shell_word, visible};

/// How often it is asked what became of the message.
const INTERVAL: Duration = Duration::from_millis(250);
/// How often it is asked at most: for two minutes, which is longer than an attempt may take by default.
const QUESTIONS_MAX: u32 = 480;

#[derive(Args)]
pub(crate) struct Test {
    /// The name of the alert
    name: String,

    #[arg(long, value_enum, default_value = "table")]
    output: Output,

    #[command(flatten)]
    connection: Connection,
}

impl Test {
    /// Sends a test, and fails if it does not arrive.
    pub(super) fn run(&self) -> Result<(), Failure> {
        let server = self.connection.open()?;
        let sent = server.call("POST", &format!("{}/test", path(&self.name)), None)?;
        let message = self.wait(&server, sent)?;
        self.output.print(&message, |it| text(&it["state"]))?;
        match message["state"].as_str() {
            Some("arrived") => {
                if self.output == Output::Table {
                    print_lines(format_args!("arrived: {}", visible(&text(&message["headline"]))))?;
                    if let Some(reason) = message["reason"].as_str() {
                        print_lines(visible(reason))?;
                    }
                }
                Ok(())
            }
            Some("failed") => Err(Failure::Failed(anyhow!("the message did not arrive: {}", text(&message["reason"])))),
            _ => Err(Failure::Failed(anyhow!(
                "the message is still on its way; what becomes of it: punctual alert messages {}",
                shell_word(&visible(&self.name))
            ))),
        }
    }

    /// The message when it is known what became of it, or as it stands when that took too long.
    fn wait(&self, server: &Server, sent: Value) -> Result<Value, Failure> {
        let place = format!("{}/messages/{}", path(&self.name), sent["id"]);
        let mut message = sent;
        for _ in 0..QUESTIONS_MAX {
            if message["state"] != "sending" {
                break;
            }
            thread::sleep(INTERVAL);
            message = server.call("GET", &place, None)?;
        }
        Ok(message)
    }
}
