//! A template as a whole: which resources it would make.

mod nested;
mod resources;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use punctual_model::time::Timestamp;
use punctual_model::{Violation, Warning};

use crate::budget::Budget;
use crate::evaluator::Evaluator;
use crate::hole::HolePart;
use crate::json::{self, Json};
use crate::limits::TEMPLATE_BYTES_MAX;

/// What is known beside the template.
#[derive(Clone, Debug)]
pub struct Inputs<'a> {
    /// A file of parameters.
    pub parameters: Option<&'a Json>,
    /// What fills holes and parameters, by name.
    pub fills: &'a BTreeMap<String, String>,
    /// The id of the subscription.
    pub subscription: Option<&'a str>,
    /// The name of the resource group.
    pub group: Option<&'a str>,
    /// The present, for `utcNow()`.
    pub now: Timestamp,
    /// The types of resources that are evaluated, in any case; others are skipped and named.
    pub wanted: &'a [&'a str],
}

/// What a template would make.
#[derive(Clone, Debug, Default)]
pub struct Evaluated {
    /// Its resources, in their order.
    pub found: Vec<Found>,
    /// What its writer should know.
    pub warnings: Vec<Warning>,
    /// Names of fills that nothing asked for.
    pub unused_fills: Vec<String>,
}

/// A resource of a template.
#[derive(Clone, Debug)]
pub struct Found {
    /// The line in which it begins.
    pub line: u32,
    /// The type, as it was written, with those of the resources around it: `Microsoft.Scheduler/jobCollections/jobs`.
    pub kind: String,
    /// The name, with those of the resources around it: `collection/job`. As it was written, if it cannot be known.
    pub name: String,
    /// What becomes of it.
    pub outcome: Outcome,
    /// What is missing for it.
    pub holes: Vec<HolePart>,
}

/// What becomes of a resource.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Its body: `properties`, `location`, `tags`, …
    Made(Json),
    /// It is not looked at, for a reason.
    Skipped(String),
    /// It cannot be evaluated.
    Wrong(Violation),
}

/// Evaluates the text of a template.
pub fn evaluate(text: &str, inputs: &Inputs<'_>) -> Result<Evaluated, Vec<Violation>> {
    if text.len() > TEMPLATE_BYTES_MAX {
        let given = format!("{} bytes", text.len());
        return Err(vec![Violation::new("the template", given, format!("at most {TEMPLATE_BYTES_MAX} bytes"))]);
    }
    let template = json::parse(text).map_err(|violation| vec![violation])?;
    evaluate_json(&template, inputs)
}

/// Evaluates a template that is JSON already.
pub fn evaluate_json(template: &Json, inputs: &Inputs<'_>) -> Result<Evaluated, Vec<Violation>> {
    if template.get("resources").is_none() {
        let sentence = "this is no template: it has no resources";
        return Err(vec![Violation::sentence("", sentence)]);
    }
    let evaluator = Evaluator {
        subscription: inputs.subscription,
        group: inputs.group,
        now: inputs.now,
        fills: inputs.fills,
        budget: Budget::new(),
        used: RefCell::new(BTreeSet::new()),
    };
    let mut made = resources::Made::new(&evaluator, inputs.wanted);
    nested::template(&mut made, template, inputs.parameters)?;
    let used = evaluator.used.borrow();
    let mut evaluated = made.finish();
    evaluated.unused_fills = inputs.fills.keys().filter(|name| !used.contains(*name)).cloned().collect();
    Ok(evaluated)
}
