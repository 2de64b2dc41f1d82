//! `punctual alert set`.

use anyhow::anyhow;
use clap::Args;
use punctual_model::Violation;
use serde_json::{Map, Value, json};

use super::super::connection::Connection;
use super::super::table::text;
use super::path;
use crate::cli::document;
use crate::cli::failure::{Failure, print_note};
use crate::cli::output::{Output, shell_word, visible};

/// Where PagerDuty takes messages.
const PAGER_DUTY: &str = "https://events.pagerduty.com/v2/enqueue";

#[derive(Args)]
pub(crate) struct Set {
    /// The name of the alert
    name: String,

    /// What to tell of, with commas between them: failing (or failing=3 attempts), recovered, givenUp, ended, late=5m,
    /// slow=10m (or slow=3x the median), silent=5m, stale=26h, expiring=30d, operator
    #[arg(long, value_name = "CONDITIONS", value_delimiter = ',')]
    when: Vec<String>,

    /// The address that messages are posted to
    #[arg(long, value_name = "URL")]
    post: Option<String>,

    /// The integration key of a service of PagerDuty, which is told with --format pagerDuty
    #[arg(long, value_name = "KEY", conflicts_with = "email")]
    routing_key: Option<String>,

    /// The e-mail addresses that are told instead, with commas between them; the server needs the settings `email`
    #[arg(long, value_name = "ADDRESSES", value_delimiter = ',', conflicts_with_all = ["post", "format"])]
    email: Vec<String>,

    /// The form of messages: json, slack, teams, pagerDuty or alertmanager [default: json]
    #[arg(long, value_name = "FORM")]
    format: Option<String>,

    /// What to watch: / is everything, a name is a collection, COLLECTION/JOB a job, else a path [default: /]
    #[arg(long, value_name = "SCOPE")]
    scope: Option<String>,

    /// How often to tell again while it lasts, such as 4h, or never [default: never]
    #[arg(long, value_name = "DURATION")]
    reminder: Option<String>,

    /// A file with the whole alert as JSON (comments are fine) or YAML instead; - is stdin
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["when", "post", "routing_key", "email", "format", "scope", "reminder"])]
    file: Option<String>,

    #[arg(long, value_enum, default_value = "table")]
    output: Output,

    #[command(flatten)]
    connection: Connection,
}

impl Set {
    /// Makes the alert, or changes what is given of it.
    pub(super) fn run(&self) -> Result<(), Failure> {
        let (server, path) = (self.connection.open()?, path(&self.name));
        let alert = if let Some(file) = &self.file {
            server.call("PUT", &path, Some(&document::read_value(file)?))?
        } else {
            let (known, tag) = server.read(&path)?.unzip();
            let body = self.lay_over(known.unwrap_or_else(|| json!({})))?;
            server.write(&path, &body, tag.as_deref())?.ok_or_else(|| self.overtaken())?
        };
        for warning in alert["warnings"].as_array().into_iter().flatten() {
            print_note(&format!("warning: {}", visible(&text(warning))));
        }
        if !self.output.print(&alert, |it| text(&it["name"]))? {
            let (name, word) = (visible(&self.name), visible(&shell_word(&self.name)));
            print_note(&format!("alert {name} is set; see whether messages arrive: punctual alert test {word}"));
        }
        Ok(())
    }

    /// Somebody else has written the alert since it was read: what is given was meant for what they have replaced.
    fn overtaken(&self) -> Failure {
        let name = visible(&self.name);
        Failure::Failed(anyhow!(
            "somebody else has changed the alert {name} just now, and nothing was written; look at it (punctual alert show \
             {name}), and set it again"
        ))
    }

    /// The alert as it is, or nothing, with what is given in the place of what it was.
    fn lay_over(&self, mut alert: Value) -> Result<Value, Failure> {
        if !self.when.is_empty() {
            let when = self.when.iter().map(|word| condition(word.trim())).collect::<Result<Vec<_>, _>>()?;
            alert["when"] = json!(when);
        }
        if let Some(uri) = &self.post {
            let mut request = alert["action"]["request"].take();
            request["uri"] = json!(uri);
            alert["action"] = action(alert["action"].take(), "request", request);
        }
        if let Some(key) = &self.routing_key {
            let mut request = alert["action"]["request"].take();
            give_key(&mut request, key);
            alert["action"] = action(alert["action"].take(), "request", request);
            alert["format"] = json!("pagerDuty");
        }
        if !self.email.is_empty() {
            alert["action"] = action(alert["action"].take(), "email", json!({ "to": self.email }));
            alert["format"] = Value::Null;
        }
        for (member, value) in [("format", &self.format), ("scope", &self.scope), ("reminder", &self.reminder)] {
            if let Some(value) = value {
                alert[member] = json!(value);
            }
        }
        let is_none = |reminder: &String| ["never", "none"].iter().any(|word| reminder.eq_ignore_ascii_case(word));
        if self.reminder.as_ref().is_some_and(is_none) {
            alert["reminder"] = Value::Null;
        }
        let missing = |option: &str, expected| Violation::new(option, "nothing", expected);
        let mut violations = Vec::new();
        if alert["when"].is_null() {
            violations.push(missing("--when", "what to tell of, such as failing,recovered"));
        }
        if alert["action"].is_null() {
            violations.push(missing("--post", "the address that messages are posted to, or --email with addresses"));
        }
        if violations.is_empty() { Ok(alert) } else { Err(Failure::Invalid(violations)) }
    }
}

/// Puts the key of a service into what is added to each message, beside what is there already.
fn give_key(request: &mut Value, key: &str) {
    if request["uri"].is_null() {
        request["uri"] = json!(PAGER_DUTY);
    }
    let known = match &request["body"] {
        Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
        body => body.clone(),
    };
    let mut members = if let Value::Object(members) = known { members } else { Map::new() };
    members.insert("routing_key".to_owned(), json!(key));
    request["body"] = Value::Object(members);
}

/// An action with that message; what says how it is retried stays.
fn action(mut known: Value, name: &str, message: Value) -> Value {
    let mut action = json!({ "retryPolicy": known["retryPolicy"].take() });
    action[name] = message;
    action
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

    fn set(arguments: &[&str]) -> Set {
        #[derive(clap::Parser)]
        struct Command {
            #[command(flatten)]
            set: Set,
        }
        <Command as clap::Parser>::try_parse_from([&["set", "ops"], arguments].concat()).unwrap().set
    }

    fn laid_over(arguments: &[&str], known: Value) -> String {
        match set(arguments).lay_over(known) {
            Ok(alert) => alert.to_string(),
            Err(Failure::Invalid(violations)) => {
                violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
            }
            Err(_) => "another failure".to_owned(),
        }
    }

    #[test]
    fn only_what_is_given_changes() {
        let known = json!({
            "when": ["failing"],
            "quietHours": { "from": "22:00", "to": "07:00" },
            "format": "slack",
            "action": {
                "type": "Https", "retryPolicy": { "retryType": "none" },
                "request": { "uri": "https://a.example.com/", "headers": { "X": "y" } },
            },
        });
        let texts = [
            laid_over(&["--reminder", "4h"], known.clone()),
            laid_over(&["--post", "http://b.example.com/"], known.clone()),
            laid_over(&["--email", "a@example.com,b@example.com"], known),
            laid_over(&["--post", "https://c.example.com", "--when", "ended"], json!({})),
            laid_over(&["--scope", "ops"], json!({})),
            laid_over(&["--reminder", "Never"], json!({ "when": [], "action": {}, "reminder": "PT4H" })),
        ];
        insta::assert_snapshot!(texts.join("\n"), @r#"
        {"action":{"request":{"headers":{"X":"y"},"uri":"https://a.example.com/"},"retryPolicy":{"retryType":"none"},"type":"Https"},"format":"slack","quietHours":{"from":"22:00","to":"07:00"},"reminder":"4h","when":["failing"]}
        {"action":{"request":{"headers":{"X":"y"},"uri":"http://b.example.com/"},"retryPolicy":{"retryType":"none"}},"format":"slack","quietHours":{"from":"22:00","to":"07:00"},"when":["failing"]}
        {"action":{"email":{"to":["a@example.com","b@example.com"]},"retryPolicy":{"retryType":"none"}},"format":null,"quietHours":{"from":"22:00","to":"07:00"},"when":["failing"]}
        {"action":{"request":{"uri":"https://c.example.com"},"retryPolicy":null},"when":["ended"]}
        --when: given nothing, expected what to tell of, such as failing,recovered
        --post: given nothing, expected the address that messages are posted to, or --email with addresses
        {"action":{},"reminder":null,"when":[]}
        "#);
    }

    #[test]
    fn a_key_of_pager_duty_is_all_that_it_needs() {
        let texts = [
            laid_over(&["--when", "failing", "--routing-key", "k1"], json!({})),
            laid_over(
                &["--routing-key", "k2"],
                json!({
                    "when": ["failing"],
                    "action": { "request": { "uri": "https://eu.example.com/", "body": "{\"routing_key\":\"***\",\"a\":1}" } },
                }),
            ),
        ];
        insta::assert_snapshot!(texts.join("\n"), @r#"
        {"action":{"request":{"body":{"routing_key":"k1"},"uri":"https://events.pagerduty.com/v2/enqueue"},"retryPolicy":null},"format":"pagerDuty","when":["failing"]}
        {"action":{"request":{"body":{"a":1,"routing_key":"k2"},"uri":"https://eu.example.com/"},"retryPolicy":null},"format":"pagerDuty","when":["failing"]}
        "#);
    }

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
