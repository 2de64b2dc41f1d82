//! `punctual alert set`.

use clap::Args;
use punctual_model::Violation;
use serde_json::{Map, Value, json};

use super::super::client::Connection;
use super::super::token::text;
use super::path;
use crate::cli::failure::{Failure, print_note};
use crate::cli::json_file;
use crate::cli::output::{Output, visible};

#[derive(Args)]
pub(crate) struct Set {
    /// The name of the alert
    name: String,

    /// What to tell of, with commas between them: failing (or failing=3 attempts), recovered, givenUp, ended, late=5m,
    /// slow=10m (or slow=3x the median), silent=5m, stale=26h, expiring=30d, operator
    #[arg(long, value_name = "CONDITIONS", value_delimiter = ',', required_unless_present = "file")]
    when: Vec<String>,

    /// The address that messages are posted to
    #[arg(long, value_name = "URL", required_unless_present_any = ["file", "email"])]
    post: Option<String>,

    /// The e-mail addresses that are told instead, with commas between them; the server needs the settings `email`
    #[arg(long, value_name = "ADDRESSES", value_delimiter = ',', conflicts_with_all = ["post", "format"])]
    email: Vec<String>,

    /// The form of messages: json, slack, teams, pagerDuty or alertmanager [default: json]
    #[arg(long, value_name = "FORM")]
    format: Option<String>,

    /// What to watch: / is everything, a name is a collection, COLLECTION/JOB a job, else a path [default: /]
    #[arg(long, value_name = "SCOPE")]
    scope: Option<String>,

    /// How often to tell again while it lasts, such as 4h [default: never]
    #[arg(long, value_name = "DURATION")]
    reminder: Option<String>,

    /// A file with the alert as JSON (comments are fine) instead; - is stdin
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["when", "post", "email", "format", "scope", "reminder"])]
    file: Option<String>,

    #[arg(long, value_enum, default_value = "table")]
    output: Output,

    #[command(flatten)]
    connection: Connection,
}

impl Set {
    /// Makes the alert, or replaces it.
    pub(super) fn run(&self) -> Result<(), Failure> {
        let alert = self.connection.open()?.call("PUT", &path(&self.name), Some(&self.body()?))?;
        for warning in alert["warnings"].as_array().into_iter().flatten() {
            print_note(&format!("warning: {}", visible(&text(warning))));
        }
        match self.output {
            Output::Json => println!("{alert:#}"),
            Output::Table => {
                let name = visible(&self.name);
                print_note(&format!("alert {name} is set; see whether messages arrive: punctual alert test {name}"));
            }
        }
        Ok(())
    }

    fn body(&self) -> Result<Value, Failure> {
        if let Some(file) = &self.file {
            let read = serde_json::to_value(json_file::read(file)?);
            return read.map_err(|error| Failure::Failed(error.into()));
        }
        let when = self.when.iter().map(|word| condition(word.trim())).collect::<Result<Vec<_>, _>>()?;
        let action = match &*self.email {
            [] => json!({ "request": { "uri": self.post, "method": "POST" } }),
            to => json!({ "email": { "to": to } }),
        };
        let mut body = json!({ "when": when, "action": action });
        for (member, value) in [("format", &self.format), ("scope", &self.scope), ("reminder", &self.reminder)] {
            if let Some(value) = value {
                body[member] = json!(value);
            }
        }
        Ok(body)
    }
}

/// A condition as the API takes it: its name, or an object with its parameter.
fn condition(word: &str) -> Result<Value, Violation> {
    let Some((name, value)) = word.split_once('=') else { return Ok(json!(word)) };
    let times = value.strip_suffix('x').and_then(|times| times.parse::<u32>().ok());
    let parameter = match (name.to_ascii_lowercase().as_str(), times) {
        ("failing", _) => {
            let attempts: Option<u32> = value.parse().ok();
            let expected = "a number of attempts, such as failing=3";
            json!({ "attempts": attempts.ok_or_else(|| Violation::new("--when", format!("{word:?}"), expected))? })
        }
        ("slow", Some(times)) => json!({ "times": times }),
        ("late" | "slow" | "silent" | "stale", _) => json!({ "after": value }),
        ("expiring", _) => json!({ "within": value }),
        _ => {
            let expected = "late=, slow=, silent=, stale=, expiring=, failing=, or a name alone";
            return Err(Violation::new("--when", format!("{word:?}"), expected));
        }
    };
    Ok(Value::Object(Map::from_iter([(name.to_owned(), parameter)])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_with_their_parameters() {
        for (word, expected) in [
            ("failing", json!("failing")),
            ("failing=3", json!({ "failing": { "attempts": 3 } })),
            ("slow=10m", json!({ "slow": { "after": "10m" } })),
            ("slow=3x", json!({ "slow": { "times": 3 } })),
            ("Silent=5m", json!({ "Silent": { "after": "5m" } })),
            ("expiring=30d", json!({ "expiring": { "within": "30d" } })),
        ] {
            assert_eq!(condition(word), Ok(expected), "{word}");
        }
        for word in ["failing=often", "ended=1h", "=3"] {
            assert!(condition(word).is_err(), "{word}");
        }
    }
}
