//! The command that runs again what failed.

use std::borrow::Cow;

use super::message::{Message, name_in, to_the_second};
use crate::access::Scope;

/// The command that runs again what a message says has failed; none if no job of it is known.
pub(super) fn rerun_command(message: &Message) -> Option<String> {
    let first = message.named_jobs().next()?;
    let others = message.job_count().saturating_sub(1);
    let since = to_the_second(message.since);
    if others == 0 {
        return Some(rerun(Some(first.name_in(&message.home)), &format!("--since {since}")));
    }
    let at_target = format!("--target {} --since {since}", quoted(&exactly(&message.target)));
    match &message.scope.scope {
        Scope::Server if !message.target.is_empty() => Some(rerun(None, &at_target)),
        Scope::Collection { subscription, group, collection } if !message.target.is_empty() => {
            let path = format!("{subscription}/{group}/{collection}");
            Some(rerun(Some(name_in(&path, &message.home)), &at_target))
        }
        // The command knows no groups: what runs again must not be more than what the alert watches.
        _ => {
            let one = rerun(Some(first.name_in(&message.home)), &format!("--since {since}"));
            let others = if others == 1 { "other one".to_owned() } else { format!("{others} others") };
            Some(format!("{one} # and likewise for the {others}"))
        }
    }
}

/// The command about a job or a collection, or about all that the options say.
fn rerun(what: Option<&str>, options: &str) -> String {
    match what {
        None => format!("punctual rerun {options}"),
        // A name that begins like an option stands behind the mark after which there are none.
        Some(name) if name.starts_with('-') => format!("punctual rerun {options} -- {}", quoted(name)),
        Some(name) => format!("punctual rerun {} {options}", quoted(name)),
    }
}

/// A target as the command takes it for this one alone: a host without a port would mean any port of it.
fn exactly(label: &str) -> Cow<'_, str> {
    let has_port = label.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    if has_port || label.contains('/') { Cow::Borrowed(label) } else { Cow::Owned(format!("{label}:443")) }
}

/// A word as a shell takes it for one, and for nothing else.
fn quoted(word: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '/' | ':' | '-');
    if !word.is_empty() && word.chars().all(is_plain) {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TargetPattern;

    #[test]
    fn words_are_quoted_for_a_shell() {
        for (word, expected) in [
            ("ops/nightly", "ops/nightly"),
            ("api.example.com:443", "api.example.com:443"),
            ("ops/a b", "'ops/a b'"),
            ("ops/$(reboot)`x`;&", "'ops/$(reboot)`x`;&'"),
            ("it's", r"'it'\''s'"),
            ("größe", "'größe'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(word), expected);
        }
        for (label, expected) in [
            ("api.example.com", "api.example.com:443"),
            ("api.example.com:8443", "api.example.com:8443"),
            ("[::1]", "[::1]:443"),
            ("account/queue", "account/queue"),
        ] {
            let pattern = TargetPattern::parse(&exactly(label)).ok();
            assert_eq!(exactly(label), expected);
            assert!(pattern.is_some_and(|pattern| pattern.matches(label) && !pattern.matches("api.example.com:99")));
        }
        assert_eq!(rerun(Some("-x/j"), "--since T"), "punctual rerun --since T -- -x/j");
    }
}
