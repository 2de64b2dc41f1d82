//! An e-mail: plain text for people, whatever program they read it with.

use punctual_model::action::EmailMessage;
use punctual_model::alert::Message;

use super::cut;

/// Characters of a subject: lists of messages show no more.
const SUBJECT_CHARS_MAX: usize = 160;

pub(crate) fn email(message: &Message) -> EmailMessage {
    let headline = on_one_line(&message.headline());
    let mut paragraphs = vec![headline.clone(), message.details().join("\n")];
    if !message.excerpt.is_empty() {
        paragraphs.push(format!("The last answer:\n{}", quoted(&message.excerpt)));
    }
    paragraphs.extend(message.command().map(|command| format!("Run again what failed:\n  {command}")));
    paragraphs.push(format!("-- \nPunctual, alert {}", message.alert));
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    EmailMessage {
        subject: cut(&headline, SUBJECT_CHARS_MAX),
        text: paragraphs.join("\n\n"),
        alert: message.alert.to_string(),
        incident: message.incident.clone(),
        kind: message.kind,
        at: message.at,
    }
}

/// A target answers what it likes: each of its lines is marked as not ours.
fn quoted(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("> {}", on_one_line(line))).collect();
    lines.join("\n")
}

/// Control characters, which could end a header or move a cursor, become blanks.
fn on_one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
