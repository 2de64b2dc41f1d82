//! Functions that a template defines itself.

use std::collections::BTreeMap;

use punctual_model::Violation;

use crate::evaluator::{Context, Evaluator, Scope};
use crate::expression::Expression;
use crate::json::{Json, Value};
use crate::place::Place;

/// A function of the template.
pub(crate) struct UserFunction<'a> {
    /// The names of its parameters, in their order.
    parameters: Vec<&'a str>,
    /// What it gives.
    output: &'a Json,
}

/// Reads `functions` of a template.
pub(crate) fn read(template: &Json) -> BTreeMap<String, UserFunction<'_>> {
    let mut functions = BTreeMap::new();
    for namespace in template.get("functions").map(Json::items).unwrap_or_default() {
        let Some(space) = namespace.get("namespace").and_then(Json::text) else { continue };
        for (name, function) in namespace.get("members").map(Json::members).unwrap_or_default() {
            let Some(output) = function.at(&["output", "value"]) else { continue };
            let parameters = function.get("parameters").map(Json::items).unwrap_or_default();
            let parameters = parameters.iter().filter_map(|parameter| parameter.get("name")?.text()).collect();
            functions.insert(format!("{space}.{name}").to_lowercase(), UserFunction { parameters, output });
        }
    }
    functions
}

/// Calls a function of the template. It sees its own parameters, and neither variables nor other functions.
pub(crate) fn call(
    evaluator: &Evaluator<'_>,
    name: &str,
    arguments: &[Expression],
    context: Context<'_>,
    place: &Place<'_>,
) -> Result<Value, Violation> {
    let Some(function) = context.scope.functions.get(&name.to_lowercase()) else {
        return Err(place.wrong(format!("{name}()"), "a function that the template defines in functions"));
    };
    if function.parameters.len() != arguments.len() {
        let expected = format!("{} arguments of {name}()", function.parameters.len());
        return Err(place.wrong(arguments.len(), expected));
    }
    let mut parameters = BTreeMap::new();
    for (name, argument) in function.parameters.iter().zip(arguments) {
        let value = evaluator.expression(argument, context, place)?;
        parameters.insert(name.to_lowercase(), Json { line: place.line(), value });
    }
    let scope = Scope { is_function: true, ..Scope::new(parameters, None) };
    Ok(evaluator.json(function.output, Context { scope: &scope, copies: &[] }, place)?.value)
}
