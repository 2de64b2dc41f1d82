//! Templates, also inside of others.

use punctual_model::Violation;

use super::resources::Made;
use crate::evaluator::{Context, Scope};
use crate::json::{Json, Value};
use crate::limits::DEPLOYMENTS_DEPTH_MAX;
use crate::parameters;
use crate::place::Place;
use crate::user_function;

/// Makes the resources of a template that sees only its own parameters and variables.
pub(super) fn template(made: &mut Made<'_>, template: &Json, given: Option<&Json>) -> Result<(), Vec<Violation>> {
    let parameters = parameters::read(made.evaluator, template, given);
    made.warnings.extend(parameters.warnings);
    if !parameters.violations.is_empty() {
        return Err(parameters.violations);
    }
    let mut scope = Scope::new(parameters.values, template.get("variables"));
    scope.functions = user_function::read(template);
    resources(made, template, Context { scope: &scope, copies: &[] });
    Ok(())
}

fn resources(made: &mut Made<'_>, template: &Json, context: Context<'_>) {
    let Some(resources) = template.get("resources") else { return };
    let root = Place::ROOT;
    made.resources(resources, context, &root.member("resources", resources.line), None);
}

/// A deployment inside of a template.
pub(super) fn deployment(
    made: &mut Made<'_>,
    resource: &Json,
    context: Context<'_>,
    place: &Place<'_>,
) -> Result<(), Violation> {
    let Some(template_json) = resource.at(&["properties", "template"]) else {
        return Err(place.sentence("a linked template is not fetched: import its file by itself"));
    };
    if made.depth >= DEPLOYMENTS_DEPTH_MAX {
        return Err(place.sentence(format!("more than {DEPLOYMENTS_DEPTH_MAX} deployments are inside each other")));
    }
    let scope = resource.at(&["properties", "expressionEvaluationOptions", "scope"]).and_then(Json::text);
    made.depth += 1;
    let done = if scope.is_some_and(|scope| scope.eq_ignore_ascii_case("inner")) {
        // The values that the outer template gives are evaluated in the outer one.
        let given = resource.at(&["properties", "parameters"]);
        let given = given.map(|given| made.evaluator.json(given, context, place)).transpose()?;
        let empty = Json { line: resource.line, value: Value::Object(Vec::new()) };
        template(made, template_json, Some(given.as_ref().unwrap_or(&empty)))
            .map_err(|violations| violations.into_iter().next().unwrap_or_else(|| place.sentence("it is wrong")))
    } else {
        resources(made, template_json, context);
        Ok(())
    };
    made.depth -= 1;
    done
}
