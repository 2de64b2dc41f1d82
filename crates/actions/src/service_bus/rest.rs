//! A message over HTTPS: one POST, the broker's properties in a header, those of the user in headers of their own.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::time::{Duration, SystemTime};

use punctual_model::action::{
    BrokeredProperties, Entity, RESENT_PROPERTY, Secret, ServiceBusAction, check_custom_name,
};
use punctual_model::time::{TICKS_PER_SECOND, Timestamp};

use crate::executor::Call;
use crate::post::{Post, explain_status};

/// The request, or why there can be none.
pub(super) fn post(call: &Call, action: &ServiceBusAction, token: &Secret) -> Result<Post, String> {
    let mut headers = vec![
        (Cow::Borrowed("Authorization"), token.expose().to_owned()),
        (Cow::Borrowed("Content-Type"), content_type_of(call, action)?),
        (Cow::Borrowed("BrokerProperties"), broker_properties(&action.brokered, call)),
    ];
    for (name, value) in &action.custom {
        if let Err(expected) = check_custom_name(name, action.transport) {
            return Err(format!("The property {name:?} cannot be sent over HTTPS: expected {expected}."));
        }
        headers.push((Cow::Owned(name.clone()), json_text(value)));
    }
    if call.is_resent {
        // Without quotes it is a truth and not a text, as it is over AMQP.
        headers.push((Cow::Borrowed(RESENT_PROPERTY), "true".to_owned()));
    }
    Ok(Post { headers, body: action.message.clone() })
}

fn content_type_of(call: &Call, action: &ServiceBusAction) -> Result<String, String> {
    let brokered = &action.brokered;
    match brokered.check().into_iter().find(|violation| violation.path == "contentType") {
        Some(violation) => Err(format!("The message cannot be sent over HTTPS: {violation}.")),
        None => Ok(brokered.content_type.clone().unwrap_or_else(|| call.content_type(&action.message).to_owned())),
    }
}

/// All that the broker is told, as JSON on one line.
fn broker_properties(brokered: &BrokeredProperties, call: &Call) -> String {
    let id = brokered.message_id.clone().unwrap_or_else(|| call.occurrence.to_string());
    let text = |text: &Option<String>| text.as_deref().map(json_text);
    let time = brokered.scheduled_enqueue_time.map(|time| json_text(&http_date(time)));
    let members = [
        ("MessageId", Some(json_text(&id))),
        ("CorrelationId", text(&brokered.correlation_id)),
        ("ForcePersistence", brokered.force_persistence.map(|force| force.to_string())),
        ("Label", text(&brokered.label)),
        ("PartitionKey", text(&brokered.partition_key)),
        ("ReplyTo", text(&brokered.reply_to)),
        ("ReplyToSessionId", text(&brokered.reply_to_session_id)),
        ("ScheduledEnqueueTimeUtc", time),
        ("SessionId", text(&brokered.session_id)),
        ("TimeToLive", brokered.time_to_live.as_ref().map(|life| seconds(life.ticks()))),
        ("To", text(&brokered.to)),
        ("ViaPartitionKey", text(&brokered.via_partition_key)),
    ];
    let members = members.into_iter().filter_map(|(name, value)| Some(format!("\"{name}\":{}", value?)));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

/// A text in quotes, in ASCII: headers hold nothing else, and no line break.
fn json_text(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    json.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => json.extend(['\\', c]),
            ' '..='~' => json.push(c),
            c => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    let _ = write!(json, "\\u{unit:04x}");
                }
            }
        }
    }
    json.push('"');
    json
}

/// A length as a number of seconds, with a fraction if it has one.
fn seconds(ticks: i64) -> String {
    let (whole, fraction) = (ticks / TICKS_PER_SECOND, ticks % TICKS_PER_SECOND);
    match fraction {
        0 => whole.to_string(),
        _ => format!("{whole}.{fraction:07}").trim_end_matches('0').to_owned(),
    }
}

/// As dates are written in headers. What lies before 1970 has passed as well as 1970 has.
fn http_date(time: Timestamp) -> String {
    let since_1970 = Duration::from_secs(u64::try_from(time.seconds()).unwrap_or(0));
    httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + since_1970)
}

/// What an answer means, and what to do about it, to be put behind the name of its status.
pub(super) fn explain(status: u16, action: &ServiceBusAction, key_name: &str) -> String {
    let (entity, member) = match &action.entity {
        Entity::Queue(name) => (name, "queueName"),
        Entity::Topic(name) => (name, "topicPath"),
    };
    let sentence: Cow<'_, str> = match status {
        400 => "The broker does not take the message as it is: see what it says below.".into(),
        401 => format!(
            "The key '{key_name}' is not the one that the namespace has under this name, or it does not allow to send to \
             '{entity}'."
        )
        .into(),
        403 => format!("'{entity}' is full, or the message is too large for it.").into(),
        404 | 410 => format!("There is no '{entity}' in the namespace. Make it, or correct {member}.").into(),
        413 => "The message is too large.".into(),
        429 | 503 => "The broker is busy, and asks to wait.".into(),
        500..=599 => "The broker has a problem of its own.".into(),
        status => explain_status(status).into(),
    };
    if sentence.is_empty() { String::new() } else { format!(". {sentence}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_as_headers_hold_them() {
        assert_eq!(json_text("a \"b\" \\ ü\r\n\u{1f600}"), r#""a \"b\" \\ \u00fc\u000d\u000a\ud83d\ude00""#);
    }

    #[test]
    fn lengths_and_dates() {
        assert_eq!([seconds(900_000_000), seconds(15_000_000), seconds(1)], ["90", "1.5", "0.0000001"]);
        let time = |seconds| http_date(Timestamp::from_seconds(seconds).unwrap());
        assert_eq!(time(784_111_777), "Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(time(-1), "Thu, 01 Jan 1970 00:00:00 GMT");
        assert_eq!(http_date(Timestamp::MAX), "Fri, 31 Dec 9999 23:59:59 GMT");
    }
}
