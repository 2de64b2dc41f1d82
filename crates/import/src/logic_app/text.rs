//! Texts of workflows: some are expressions.

use std::collections::BTreeMap;

use punctual_arm::{Json, Value};

use crate::draft::Draft;
use crate::gather::Gather;

/// The parameters of a workflow: what its resource gives, else their defaults.
pub(super) fn parameters(definition: &Json, properties: &Json) -> BTreeMap<String, Json> {
    let mut parameters = BTreeMap::new();
    for (name, declaration) in definition.get("parameters").map(Json::members).unwrap_or_default() {
        let given = properties.at(&["parameters", name, "value"]).or_else(|| declaration.get("defaultValue"));
        if let Some(given) = given {
            parameters.insert(name.to_lowercase(), given.clone());
        }
    }
    parameters
}

/// A text with its parameters filled in. Other expressions are refused: only Logic Apps can work them out.
pub(super) fn text(
    json: &Json,
    parameters: &BTreeMap<String, Json>,
    draft: &Draft,
    gather: &Gather<'_>,
) -> Result<String, String> {
    let written = match &json.value {
        Value::Text(text) => text,
        Value::Hole(hole) => {
            let part = hole.parts.first().ok_or("a value is missing")?;
            return Ok(gather.fills.text(&part.name, &part.what, part.line));
        }
        other => return Ok(other.to_string()),
    };
    let value = |expression: &str| -> Result<String, String> {
        let name = expression.trim().strip_prefix("parameters('").and_then(|rest| rest.strip_suffix("')"));
        let Some(name) = name.filter(|name| !name.contains('\'')) else {
            return Err(format!("only Logic Apps can work out @{{{}}}", expression.trim()));
        };
        Ok(match parameters.get(&name.to_lowercase()).map(|json| &json.value) {
            Some(Value::Text(text)) => text.clone(),
            Some(Value::Hole(_)) | None => gather.fills.text(name, "a parameter of the workflow", draft.line),
            Some(other) => other.to_string(),
        })
    };
    if let Some(rest) = written.strip_prefix("@@") {
        return Ok(format!("@{rest}"));
    }
    if let Some(expression) = written.strip_prefix('@').filter(|rest| !rest.starts_with('{')) {
        return value(expression);
    }
    let mut made = String::new();
    let mut rest = written.as_str();
    while let Some(at) = rest.find("@{") {
        if rest[..at].ends_with('@') {
            made.push_str(&rest[..at]);
            made.push('{');
            rest = &rest[at + 2..];
            continue;
        }
        made.push_str(&rest[..at]);
        let (expression, after) = rest[at + 2..].split_once('}').ok_or("an expression @{ has no end")?;
        made.push_str(&value(expression)?);
        rest = after;
    }
    made.push_str(rest);
    Ok(made)
}
