//! Evaluates texts, lists and objects of a template.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use punctual_model::Violation;
use punctual_model::time::Timestamp;

use crate::budget::Budget;
use crate::expression::{self, Expression, Written};
use crate::functions;
use crate::hole::Hole;
use crate::json::{Json, Value};
use crate::limits::COPIES_MAX;
use crate::place::Place;
use crate::user_function::{self, UserFunction};

/// What expressions of one template can name.
pub(crate) struct Scope<'a> {
    /// Values of parameters, by their names in lower case.
    pub(crate) parameters: BTreeMap<String, Json>,
    /// Variables as they are written.
    pub(crate) variables: Option<&'a Json>,
    /// Variables that were evaluated.
    pub(crate) known_variables: RefCell<BTreeMap<String, Json>>,
    /// Variables that are being evaluated.
    pub(crate) open_variables: RefCell<BTreeSet<String>>,
    /// Functions of the template, by `namespace.name` in lower case.
    pub(crate) functions: BTreeMap<String, UserFunction<'a>>,
    /// Whether it is the body of such a function, which sees its own parameters only.
    pub(crate) is_function: bool,
}

/// Evaluates one template and those inside of it.
pub(crate) struct Evaluator<'a> {
    pub(crate) subscription: Option<&'a str>,
    pub(crate) group: Option<&'a str>,
    pub(crate) now: Timestamp,
    /// What fills holes, by name.
    pub(crate) fills: &'a BTreeMap<String, String>,
    pub(crate) budget: Budget,
    /// The names that fills were asked for by.
    pub(crate) used: RefCell<BTreeSet<String>>,
}

/// Where an expression stands: its template, and the copies around it.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) scope: &'a Scope<'a>,
    pub(crate) copies: &'a [CopyStep],
}

/// One of several copies that are made of a resource or a property.
#[derive(Clone, Debug)]
pub(crate) struct CopyStep {
    pub(crate) name: String,
    pub(crate) index: i64,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(parameters: BTreeMap<String, Json>, variables: Option<&'a Json>) -> Self {
        Self {
            parameters,
            variables,
            known_variables: RefCell::default(),
            open_variables: RefCell::default(),
            functions: BTreeMap::new(),
            is_function: false,
        }
    }
}

impl Evaluator<'_> {
    /// What fills the hole of that name.
    pub(crate) fn fill(&self, name: &str) -> Option<&str> {
        let (known, text) = self.fills.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
        self.used.borrow_mut().insert(known.clone());
        Some(text)
    }

    /// A value with everything in it evaluated.
    pub(crate) fn json(&self, json: &Json, context: Context<'_>, place: &Place<'_>) -> Result<Json, Violation> {
        self.budget.deeper(place, || {
            self.budget.spend(1, place)?;
            let value = match &json.value {
                Value::Text(text) => self.text(text, context, place)?,
                Value::List(items) => {
                    let item = |(at, item): (usize, &Json)| self.json(item, context, &place.item(at, item.line));
                    Value::List(items.iter().enumerate().map(item).collect::<Result<_, _>>()?)
                }
                Value::Object(members) => self.object(members, context, place)?,
                other => other.clone(),
            };
            Ok(Json { line: json.line, value })
        })
    }

    /// A text of the template: itself, or what its expression gives.
    pub(crate) fn text(&self, text: &str, context: Context<'_>, place: &Place<'_>) -> Result<Value, Violation> {
        self.budget.spend(1 + text.len() / 16, place)?;
        match expression::read(text).map_err(|sentence| place.sentence(sentence))? {
            Written::Literal(text) => Ok(Value::Text(text)),
            Written::Expression(expression) => self.expression(&expression, context, place),
        }
    }

    fn object(&self, members: &[(String, Json)], context: Context<'_>, place: &Place<'_>) -> Result<Value, Violation> {
        let mut made = Vec::with_capacity(members.len());
        for (name, json) in members {
            let place = place.member(name, json.line);
            if name.eq_ignore_ascii_case("copy") && is_copy_list(json) {
                for (at, copy) in json.items().iter().enumerate() {
                    made.push(self.copied_property(copy, context, &place.item(at, copy.line))?);
                }
                continue;
            }
            let name = match self.text(name, context, &place)? {
                Value::Text(name) => name,
                Value::Hole(_) => {
                    return Err(place.sentence("the name of a member cannot be something that only Azure knows"));
                }
                other => return Err(place.wrong(other.kind(), "a text as the name of a member")),
            };
            made.push((name, self.json(json, context, &place)?));
        }
        Ok(Value::Object(made))
    }

    /// `{name, count, input}`: a list of that name, with an item for each number.
    pub(crate) fn copied_property(
        &self,
        copy: &Json,
        context: Context<'_>,
        place: &Place<'_>,
    ) -> Result<(String, Json), Violation> {
        let (Some(name), Some(input)) = (copy.get("name").and_then(Json::text), copy.get("input")) else {
            return Err(place.sentence("a copy of a property needs name, count and input"));
        };
        let count = self.copy_count(copy, context, place)?;
        let input_place = place.member("input", input.line);
        let mut items = Vec::new();
        for index in 0..count {
            let mut copies = context.copies.to_vec();
            copies.push(CopyStep { name: name.to_owned(), index });
            items.push(self.json(input, Context { copies: &copies, ..context }, &input_place)?);
        }
        Ok((name.to_owned(), Json::new(copy.line, items)))
    }

    /// How many copies `copy` asks for.
    pub(crate) fn copy_count(&self, copy: &Json, context: Context<'_>, place: &Place<'_>) -> Result<i64, Violation> {
        let Some(count) = copy.get("count") else {
            return Err(place.sentence("a copy needs count, the number of copies"));
        };
        let place = place.member("count", count.line);
        let given = self.json(count, context, &place)?;
        if let Value::Hole(hole) = &given.value {
            return Err(needs(hole, "the number of copies", &place));
        }
        let most = i64::try_from(COPIES_MAX).unwrap_or(i64::MAX);
        let count = given.integer().filter(|count| (0..=most).contains(count));
        count.ok_or_else(|| place.wrong(&given, format!("a whole number from 0 to {COPIES_MAX}")))
    }

    /// What an expression gives.
    pub(crate) fn expression(
        &self,
        expression: &Expression,
        context: Context<'_>,
        place: &Place<'_>,
    ) -> Result<Value, Violation> {
        self.budget.deeper(place, || {
            let value = match expression {
                Expression::Text(text) => Value::Text(text.clone()),
                Expression::Integer(integer) => Value::Integer(*integer),
                Expression::Call { namespace: Some(namespace), name, arguments } => {
                    user_function::call(self, &format!("{namespace}.{name}"), arguments, context, place)?
                }
                Expression::Call { namespace: None, name, arguments } => {
                    functions::call(self, name, arguments, context, place)?
                }
                Expression::Member(whole, name) => self.member(self.expression(whole, context, place)?, name, place)?,
                Expression::Index(whole, index) => {
                    let whole = self.expression(whole, context, place)?;
                    match self.expression(index, context, place)? {
                        Value::Text(name) => self.member(whole, &name, place)?,
                        Value::Integer(index) => self.item(whole, index, place)?,
                        Value::Hole(hole) => Value::Hole(hole),
                        other => return Err(place.wrong(other.kind(), "a number or a text as an index")),
                    }
                }
            };
            self.budget.spend_for(&value, place)?;
            Ok(value)
        })
    }

    fn member(&self, whole: Value, name: &str, place: &Place<'_>) -> Result<Value, Violation> {
        match whole {
            Value::Hole(hole) => Ok(self.filled(hole.member(name))),
            Value::Object(mut members) => {
                if let Some(at) = members.iter().position(|(known, _)| known.eq_ignore_ascii_case(name)) {
                    Ok(members.swap_remove(at).1.value)
                } else {
                    let names: Vec<_> = members.iter().take(20).map(|(name, _)| name.as_str()).collect();
                    let expected = format!("one of the members: {}", names.join(", "));
                    Err(place.wrong(
                        format!("{name:?}"),
                        if names.is_empty() { "nothing: the object is empty".to_owned() } else { expected },
                    ))
                }
            }
            other => Err(place.wrong(format!(".{name} of {}", other.kind()), "a member of an object")),
        }
    }

    fn item(&self, whole: Value, index: i64, place: &Place<'_>) -> Result<Value, Violation> {
        let at = usize::try_from(index).ok();
        match whole {
            Value::Hole(hole) => Ok(self.filled(hole.member(&index.to_string()))),
            Value::List(mut items) => match at.filter(|at| *at < items.len()) {
                Some(at) => Ok(items.swap_remove(at).value),
                None => Err(place.wrong(format!("[{index}]"), format!("an index into a list of {}", items.len()))),
            },
            Value::Text(text) => match at.and_then(|at| text.chars().nth(at)) {
                Some(c) => Ok(Value::Text(c.to_string())),
                None => Err(place.wrong(format!("[{index}]"), "an index into the text")),
            },
            other => Err(place.wrong(format!("[{index}] of {}", other.kind()), "an item of a list")),
        }
    }

    /// The hole, or what fills it.
    pub(crate) fn filled(&self, hole: Hole) -> Value {
        let fill = match hole.parts.as_slice() {
            [part] if hole.is_answer => self.fill(&part.name),
            _ => None,
        };
        fill.map_or(Value::Hole(hole), Value::from)
    }

    /// The value of a variable, which is evaluated when it is first asked for.
    pub(crate) fn variable(&self, name: &str, context: Context<'_>, place: &Place<'_>) -> Result<Value, Violation> {
        let scope = context.scope;
        let folded = name.to_lowercase();
        if let Some(known) = scope.known_variables.borrow().get(&folded) {
            return Ok(known.value.clone());
        }
        let variables = scope.variables.map(Json::members).unwrap_or_default();
        let copies = scope.variables.and_then(|variables| variables.get("copy")).filter(|copy| is_copy_list(copy));
        let is_named = |copy: &&Json| {
            let text = copy.get("name").and_then(Json::text);
            text.is_some_and(|text| text.eq_ignore_ascii_case(name))
        };
        let copy = copies.and_then(|copies| copies.items().iter().find(is_named));
        let written = variables.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        if !scope.open_variables.borrow_mut().insert(folded.clone()) {
            return Err(place.sentence(format!("the variable {name:?} is made of itself")));
        }
        let context = Context { scope, copies: &[] };
        let root = Place::ROOT;
        let made = match (copy, written) {
            (Some(copy), _) => {
                let list = root.member("variables", copy.line);
                self.copied_property(copy, context, &list.member("copy", copy.line)).map(|(_, json)| json)
            }
            (None, Some((name, json))) => {
                let list = root.member("variables", json.line);
                self.json(json, context, &list.member(name, json.line))
            }
            (None, None) => {
                let names: Vec<_> = variables.iter().map(|(name, _)| name.as_str()).take(20).collect();
                Err(place.wrong(format!("{name:?}"), format!("one of the variables: {}", names.join(", "))))
            }
        };
        scope.open_variables.borrow_mut().remove(&folded);
        let made = made?;
        scope.known_variables.borrow_mut().insert(folded, made.clone());
        Ok(made.value)
    }
}

/// What cannot be decided before holes are filled.
pub(crate) fn needs(hole: &Hole, what: &str, place: &Place<'_>) -> Violation {
    let names: Vec<_> = hole.parts.iter().map(|part| part.name.as_str()).collect();
    place.sentence(format!("{what} depends on what only Azure knows: fill in {}", names.join(" and ")))
}

fn is_copy_list(json: &Json) -> bool {
    !json.items().is_empty() && json.items().iter().all(|item| item.get("input").is_some())
}
