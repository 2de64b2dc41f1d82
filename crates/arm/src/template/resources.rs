//! Resources: copies, conditions, and those inside of others.

use punctual_model::{Violation, Warning};

use super::{Evaluated, Found, Outcome, nested};
use crate::evaluator::{Context, CopyStep, Evaluator, needs};
use crate::functions::as_boolean;
use crate::hole::HolePart;
use crate::json::{Json, Value};
use crate::limits::COPIES_MAX;
use crate::place::Place;

/// The type of a template inside of a template.
const DEPLOYMENT: &str = "Microsoft.Resources/deployments";

/// What has been made of a template so far.
pub(super) struct Made<'a> {
    pub(super) evaluator: &'a Evaluator<'a>,
    wanted: &'a [&'a str],
    found: Vec<Found>,
    pub(super) warnings: Vec<Warning>,
    /// What resources wait for, with where that is said; checked when all are known.
    dependencies: Vec<(String, String)>,
    /// Names of resources and copies, in lower case.
    names: Vec<String>,
    /// How many deployments are around.
    pub(super) depth: usize,
}

/// The resource around another one.
#[derive(Clone, Copy)]
pub(super) struct Parent<'a> {
    kind: &'a str,
    name: &'a str,
}

impl<'a> Made<'a> {
    pub(super) fn new(evaluator: &'a Evaluator<'a>, wanted: &'a [&'a str]) -> Self {
        let (found, warnings, dependencies, names) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { evaluator, wanted, found, warnings, dependencies, names, depth: 0 }
    }

    /// Everything that was found, with what is wrong with the dependencies.
    pub(super) fn finish(mut self) -> Evaluated {
        for (place, dependency) in self.dependencies.iter().take(1000) {
            let name = dependency.rsplit('/').next().unwrap_or_default().to_lowercase();
            let is_known = |known: &String| *known == name || known.ends_with(&format!("/{name}"));
            if !self.names.iter().any(is_known) {
                let text = format!("{dependency:?} is no resource of this template; dependencies are not needed here");
                self.warnings.push(Warning::new(place.clone(), text));
            }
        }
        Evaluated { found: self.found, warnings: self.warnings, unused_fills: Vec::new() }
    }

    /// Resources in a list, or in an object by symbolic names.
    pub(super) fn resources(
        &mut self,
        resources: &Json,
        context: Context<'_>,
        place: &Place<'_>,
        parent: Option<Parent<'_>>,
    ) {
        for (at, resource) in resources.items().iter().enumerate() {
            self.copies(resource, context, &place.item(at, resource.line), parent);
        }
        for (name, resource) in resources.members() {
            self.names.push(name.to_lowercase());
            self.copies(resource, context, &place.member(name, resource.line), parent);
        }
    }

    /// A resource, as often as it is wanted.
    fn copies(&mut self, resource: &Json, context: Context<'_>, place: &Place<'_>, parent: Option<Parent<'_>>) {
        let Some(copy) = resource.get("copy").filter(|copy| copy.get("count").is_some()) else {
            return self.resource(resource, context, place, parent);
        };
        let name = copy.get("name").and_then(Json::text).unwrap_or("copy").to_owned();
        self.names.push(name.to_lowercase());
        match self.evaluator.copy_count(copy, context, &place.member("copy", copy.line)) {
            Ok(count) => {
                for index in 0..count {
                    let mut copies = context.copies.to_vec();
                    copies.push(CopyStep { name: name.clone(), index });
                    self.resource(resource, Context { copies: &copies, ..context }, place, parent);
                }
            }
            Err(violation) => self.push(resource, &written(resource, parent), Outcome::Wrong(violation), Vec::new()),
        }
    }

    fn resource(&mut self, resource: &Json, context: Context<'_>, place: &Place<'_>, parent: Option<Parent<'_>>) {
        if self.found.len() >= COPIES_MAX {
            if self.found.len() == COPIES_MAX {
                let violation = place.sentence(format!("a template makes at most {COPIES_MAX} resources"));
                self.push(resource, &written(resource, parent), Outcome::Wrong(violation), Vec::new());
            }
            return;
        }
        let mut holes = Vec::new();
        let (named, outcome) = match self.named(resource, context, place, parent, &mut holes) {
            Ok(named) => {
                let outcome = self.outcome(&named, resource, context, place, &mut holes);
                (named, outcome.unwrap_or_else(Outcome::Wrong))
            }
            Err(violation) => {
                let named = written(resource, parent);
                let is_wanted = self.is_wanted(&named.0);
                let outcome = if is_wanted { Outcome::Wrong(violation) } else { skipped() };
                (named, outcome)
            }
        };
        let is_made = !matches!(&outcome, Outcome::Skipped(reason) if reason.starts_with(CONDITION));
        let is_deployment = named.0.eq_ignore_ascii_case(DEPLOYMENT) && is_made;
        self.names.push(named.1.to_lowercase());
        if !(is_deployment && matches!(outcome, Outcome::Made(_))) {
            self.push(resource, &named, outcome, holes);
        }
        if let Some(inner) = resource.get("resources").filter(|_| is_made) {
            let around = Parent { kind: &named.0, name: &named.1 };
            self.resources(inner, context, &place.member("resources", inner.line), Some(around));
        }
    }

    /// The type and the name, with those of the resource around.
    fn named(
        &self,
        resource: &Json,
        context: Context<'_>,
        place: &Place<'_>,
        parent: Option<Parent<'_>>,
        holes: &mut Vec<HolePart>,
    ) -> Result<(String, String), Violation> {
        let mut text = |member: &str| {
            let Some(json) = resource.get(member) else {
                return Err(place.sentence(format!("a resource needs {member}")));
            };
            let place = place.member(member, json.line);
            let value = self.evaluator.json(json, context, &place)?.value;
            match value {
                Value::Text(text) => Ok(text),
                Value::Hole(hole) => {
                    holes.extend(hole.parts.iter().cloned());
                    Err(needs(&hole, &format!("the {member} of the resource"), &place))
                }
                other => Err(place.wrong(other.kind(), "a text")),
            }
        };
        let (kind, name) = (text("type")?, text("name")?);
        Ok(within(kind, name, parent))
    }

    fn outcome(
        &mut self,
        (kind, _): &(String, String),
        resource: &Json,
        context: Context<'_>,
        place: &Place<'_>,
        holes: &mut Vec<HolePart>,
    ) -> Result<Outcome, Violation> {
        let is_deployment = kind.eq_ignore_ascii_case(DEPLOYMENT);
        if !is_deployment && !self.is_wanted(kind) {
            return Ok(skipped());
        }
        if let Some(condition) = resource.get("condition") {
            let place = place.member("condition", condition.line);
            let value = self.evaluator.json(condition, context, &place)?.value;
            if let Value::Hole(hole) = &value {
                holes.extend(hole.parts.iter().cloned());
                return Err(needs(hole, "the condition", &place));
            }
            match as_boolean(&value) {
                Some(true) => {}
                Some(false) => return Ok(Outcome::Skipped(format!("{CONDITION} is false"))),
                None => return Err(place.wrong(value.kind(), "true or false")),
            }
        }
        self.depend(resource, context, place);
        if is_deployment {
            nested::deployment(self, resource, context, place)?;
            return Ok(Outcome::Made(Json::new(resource.line, Value::Null)));
        }
        let mut body = Json { line: resource.line, value: Value::Object(Vec::new()) };
        for (name, json) in resource.members() {
            let is_body = ["properties", "location", "tags"].iter().any(|known| known.eq_ignore_ascii_case(name));
            if is_body {
                body.set(name, self.evaluator.json(json, context, &place.member(name, json.line))?);
            }
        }
        body.holes("", &mut |_, hole| {
            for part in &hole.parts {
                if holes.iter().all(|known| known.name != part.name) {
                    holes.push(part.clone());
                }
            }
        });
        Ok(Outcome::Made(body))
    }

    /// Remembers what a resource waits for.
    fn depend(&mut self, resource: &Json, context: Context<'_>, place: &Place<'_>) {
        let Some(list) = resource.get("dependsOn") else { return };
        let place = place.member("dependsOn", list.line);
        for (at, item) in list.items().iter().enumerate() {
            let place = place.item(at, item.line);
            match self.evaluator.json(item, context, &place).map(|json| json.value) {
                Ok(Value::Text(text)) => self.dependencies.push((place.to_string(), text)),
                Ok(Value::Hole(_)) => {}
                Ok(other) => {
                    self.warnings.push(Warning::new(place.to_string(), format!("{} is no name", other.kind())));
                }
                Err(violation) => self.warnings.push(Warning::new(violation.path, violation.problem.to_string())),
            }
        }
    }

    fn is_wanted(&self, kind: &str) -> bool {
        self.wanted.iter().any(|wanted| wanted.eq_ignore_ascii_case(kind))
    }

    fn push(&mut self, resource: &Json, (kind, name): &(String, String), outcome: Outcome, holes: Vec<HolePart>) {
        let (kind, name) = (kind.clone(), name.clone());
        self.found.push(Found { line: resource.line, kind, name, outcome, holes });
    }
}

const CONDITION: &str = "its condition";

fn skipped() -> Outcome {
    Outcome::Skipped("a resource of another kind".to_owned())
}

/// The type and the name as they are written.
fn written(resource: &Json, parent: Option<Parent<'_>>) -> (String, String) {
    let text = |member: &str| resource.get(member).and_then(Json::text).unwrap_or_default().to_owned();
    within(text("type"), text("name"), parent)
}

fn within(kind: String, name: String, parent: Option<Parent<'_>>) -> (String, String) {
    match parent {
        Some(parent) if !kind.contains('/') => (format!("{}/{kind}", parent.kind), format!("{}/{name}", parent.name)),
        _ => (kind, name),
    }
}
