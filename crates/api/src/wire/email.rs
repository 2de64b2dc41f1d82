//! `email`, which only alerts have.

use punctual_model::action::{EmailAction, EmailAddress, check_recipients};

use super::object::Object;

pub(super) fn read(mut message: Object<'_>) -> Option<EmailAction> {
    message.require("to", "the e-mail addresses that are told, such as [\"ops@example.com\"]");
    let values = message.list("to");
    let given = values.as_ref().map(Vec::len);
    let to: Vec<_> = values.into_iter().flatten().map(|value| value.parsed(EmailAddress::parse)).collect();
    if let Some((count, Err(expected))) = given.map(|count| (count, check_recipients(count))) {
        message.violation("to", format!("{count} addresses"), expected.to_string());
    }
    message.ignore_rest();
    Some(EmailAction { to: to.into_iter().collect::<Option<_>>()?, message: None })
}
