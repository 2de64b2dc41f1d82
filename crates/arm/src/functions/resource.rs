//! Resources: their ids, and what only Azure knows about them.

use punctual_model::Violation;

use super::{Answer, Call};
use crate::hole::Hole;
use crate::json::Value;

/// Functions that only Azure can answer, beside all that begin with `list`.
const AZURE: [&str; 13] = [
    "reference",
    "references",
    "providers",
    "pickzones",
    "uniquestring",
    "newguid",
    "environment",
    "tenant",
    "managementgroup",
    "deployment",
    "deployer",
    "getsecret",
    "externalinput",
];

pub(super) fn call(name: &str, call: &Call<'_>) -> Answer {
    let value = match name {
        "resourceid" => resource_id(call)?,
        "subscriptionresourceid" => subscription_resource_id(call)?,
        "tenantresourceid" => {
            let (kind, names) = split(call, 0)?;
            id("", kind, &names, call)?
        }
        "extensionresourceid" => {
            let (kind, names) = split(call, 1)?;
            match call.arguments.first() {
                Some(Value::Text(scope)) => id(scope, kind, &names, call)?,
                _ => unknown(call, names.last()),
            }
        }
        "resourcegroup" => resource_group(call),
        "subscription" => subscription(call),
        _ if AZURE.contains(&name) || is_list_call(name) => answer(name, call),
        _ => return Ok(None),
    };
    Ok(Some(value))
}

fn is_list_call(name: &str) -> bool {
    name.starts_with("list") && name.len() > "list".len()
}

/// What Azure would answer: a hole that is called after the function and the resource.
fn answer(folded: &str, call: &Call<'_>) -> Value {
    let resource = match call.arguments.first() {
        Some(Value::Text(id)) => id.rsplit('/').next().map(str::to_owned),
        Some(Value::Hole(hole)) => hole.resource.clone(),
        _ => None,
    };
    let name = match resource {
        Some(resource) if folded != "uniquestring" => format!("{}.{}", call.name, part_of_name(&resource)),
        _ => call.name.to_owned(),
    };
    let what = match folded {
        "uniquestring" => "the text that uniqueString makes, by a hash that Azure does not publish".to_owned(),
        _ => format!("what {}() answers in Azure", call.name),
    };
    // `uniqueString` differs by its arguments: a name of its own for each.
    let name = match (folded, call.hole(false), call.arguments.as_slice()) {
        ("uniquestring", None, arguments @ [_, ..]) => {
            let texts: Vec<_> = arguments.iter().map(|value| part_of_name(value.text().unwrap_or_default())).collect();
            let short: String = texts.join("-").chars().rev().take(40).collect::<Vec<_>>().into_iter().rev().collect();
            format!("{name}.{}", short.trim_start_matches(['-', '.']))
        }
        _ => name,
    };
    call.evaluator.filled(Hole::answer(name, what, call.place.line()))
}

/// A text as it can stand in the name of a hole, which is typed into a shell.
fn part_of_name(text: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' };
    text.chars().map(plain).collect()
}

/// Something that is called `name` and given on the command line, else a hole.
fn given(name: &str, given: Option<&str>, what: &str, call: &Call<'_>) -> Value {
    match given {
        Some(text) => Value::Text(text.to_owned()),
        None => call.evaluator.filled(Hole::answer(name.to_owned(), what.to_owned(), call.place.line())),
    }
}

fn subscription_id(call: &Call<'_>) -> Value {
    given("subscription.subscriptionId", call.evaluator.subscription, "the subscription (--subscription)", call)
}

fn group_name(call: &Call<'_>) -> Value {
    given("resourceGroup.name", call.evaluator.group, "the resource group (--group)", call)
}

fn subscription(call: &Call<'_>) -> Value {
    let id = subscription_id(call);
    let path = match &id {
        Value::Text(id) => Value::Text(format!("/subscriptions/{id}")),
        other => other.clone(),
    };
    let hole = |name: &str| given(&format!("subscription.{name}"), None, "a property of the subscription", call);
    let members =
        [("id", path), ("subscriptionId", id), ("tenantId", hole("tenantId")), ("displayName", hole("displayName"))];
    object(members, call)
}

fn resource_group(call: &Call<'_>) -> Value {
    let name = group_name(call);
    let id = match (subscription_id(call), &name) {
        (Value::Text(subscription), Value::Text(group)) => {
            Value::Text(format!("/subscriptions/{subscription}/resourceGroups/{group}"))
        }
        (Value::Text(_), hole) => hole.clone(),
        (hole, _) => hole,
    };
    let hole = |name: &str| given(&format!("resourceGroup.{name}"), None, "a property of the resource group", call);
    let members = [("id", id), ("name", name), ("location", hole("location")), ("tags", hole("tags"))];
    object(members, call)
}

fn object<const N: usize>(members: [(&str, Value); N], call: &Call<'_>) -> Value {
    let members = members.into_iter().map(|(name, value)| (name.to_owned(), call.json(value)));
    Value::Object(members.collect())
}

/// The type of a resource and the parts of its name, from argument `from` on; earlier ones are the subscription and the group.
fn split<'a>(call: &'a Call<'_>, from: usize) -> Result<(&'a str, Vec<Value>), Violation> {
    let is_type = |value: &&Value| value.text().is_some_and(|text| text.contains('/') && !text.starts_with('/'));
    let given = call.arguments.get(from..).unwrap_or_default();
    let at = given.iter().position(|value| is_type(&value)).map(|at| from + at);
    let Some((at, kind)) = at.and_then(|at| Some((at, call.arguments[at].text()?))) else {
        return Err(call.wrong("something else", "a type such as Microsoft.Storage/storageAccounts"));
    };
    Ok((kind, call.arguments[at + 1..].to_vec()))
}

fn resource_id(call: &Call<'_>) -> Result<Value, Violation> {
    let (kind, names) = split(call, 0)?;
    let before: Vec<_> = call.arguments.iter().take_while(|value| value.text() != Some(kind)).collect();
    let (subscription, group) = match before.as_slice() {
        [] => (subscription_id(call), group_name(call)),
        [group] => (subscription_id(call), (*group).clone()),
        [subscription, group, ..] => ((*subscription).clone(), (*group).clone()),
    };
    match (&subscription, &group) {
        (Value::Text(subscription), Value::Text(group)) => {
            id(&format!("/subscriptions/{subscription}/resourceGroups/{group}"), kind, &names, call)
        }
        _ => Ok(unknown_id(&[subscription, group], names.last(), call)),
    }
}

fn subscription_resource_id(call: &Call<'_>) -> Result<Value, Violation> {
    let (kind, names) = split(call, 0)?;
    let subscription = match call.arguments.first() {
        Some(first) if first.text() != Some(kind) => first.clone(),
        _ => subscription_id(call),
    };
    match &subscription {
        Value::Text(subscription) => id(&format!("/subscriptions/{subscription}"), kind, &names, call),
        _ => Ok(unknown_id(&[subscription], names.last(), call)),
    }
}

/// `scope/providers/Namespace/type/name/type/name`.
fn id(scope: &str, kind: &str, names: &[Value], call: &Call<'_>) -> Result<Value, Violation> {
    let mut segments = kind.split('/');
    let namespace = segments.next().unwrap_or_default();
    let types: Vec<_> = segments.collect();
    if types.len() != names.len() {
        let given = format!("{} names for the type {kind:?}", names.len());
        return Err(call.wrong(given, format!("{} names", types.len())));
    }
    let mut made = format!("{scope}/providers/{namespace}");
    for (kind, name) in types.iter().zip(names) {
        match name {
            Value::Text(name) => {
                made.extend(["/", kind, "/", name.as_str()]);
            }
            Value::Hole(_) => return Ok(unknown(call, names.last())),
            other => return Err(call.wrong(other.kind(), "texts as names")),
        }
    }
    Ok(Value::Text(made))
}

fn unknown(call: &Call<'_>, name: Option<&Value>) -> Value {
    unknown_id(&call.arguments, name, call)
}

/// An id of which something is missing. Its name is remembered, if that is known.
fn unknown_id(parts: &[Value], name: Option<&Value>, call: &Call<'_>) -> Value {
    let holes: Vec<&Hole> = parts.iter().chain(&call.arguments).filter_map(as_hole).collect();
    let hole = Hole::made_of(holes);
    let resource = name.and_then(Value::text).map(str::to_owned);
    hole.map_or(Value::Null, |hole| Value::Hole(Hole { resource, ..hole }))
}

fn as_hole(value: &Value) -> Option<&Hole> {
    if let Value::Hole(hole) = value { Some(hole) } else { None }
}
