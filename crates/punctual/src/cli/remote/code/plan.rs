//! What files would change, as the server says it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::bulk::{self, Batch, Condition};
use super::object::{Kind, Object};
use super::references::{self, Missing};
use super::set::Set;
use super::spool::Spool;
use super::words;
use crate::cli::failure::Failure;
use crate::cli::output::{ListPrinter, Output, print_lines};
use crate::cli::progress::Progress;
use crate::cli::remote::client::Server;

/// What is to be there: collections, in which jobs are, and alerts.
pub(super) struct Wanted {
    pub(super) collections: Vec<Object>,
    pub(super) jobs: Spool,
    pub(super) alerts: Vec<Object>,
    /// Whether it is not known in which group one of them is, because the caller sees nothing in the one that the server has by default.
    pub(super) is_vague: bool,
    /// All of them, by what they are known by.
    pub(super) keys: BTreeSet<[u8; 16]>,
}

impl Wanted {
    /// How many objects there are.
    pub(super) fn count(&self) -> usize {
        self.collections.len() + self.jobs.count() + self.alerts.len()
    }

    /// Hands over all objects with their numbers: what others are in comes first.
    pub(super) fn each(&mut self, mut each: impl FnMut(usize, Object) -> Result<(), Failure>) -> Result<(), Failure> {
        for (number, object) in self.collections.iter().enumerate() {
            each(number, object.clone())?;
        }
        let before = self.collections.len();
        self.jobs.each(|number, object| each(before + number, object))?;
        let before = before + self.jobs.count();
        for (number, object) in self.alerts.iter().enumerate() {
            each(before + number, object.clone())?;
        }
        Ok(())
    }
}

/// How many objects are changed, and how.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) create: u64,
    pub(super) change: u64,
    pub(super) replace: u64,
    pub(super) delete: u64,
    pub(super) unchanged: u64,
}

impl Counts {
    pub(super) fn add(&mut self, change: &str) {
        match change {
            "create" => self.create += 1,
            "update" => self.change += 1,
            "replace" => self.replace += 1,
            "delete" => self.delete += 1,
            _ => self.unchanged += 1,
        }
    }

    /// Whether nothing changes.
    pub(super) const fn is_empty(self) -> bool {
        self.create + self.change + self.replace + self.delete == 0
    }

    /// In words: `2 to create, 1 to change; 5 unchanged`.
    pub(super) fn in_words(self, words: [&str; 4]) -> String {
        let numbers = [self.create, self.change, self.replace, self.delete];
        let parts = numbers.iter().zip(words).filter(|(number, _)| **number > 0);
        let parts: Vec<_> = parts.map(|(number, word)| format!("{number} {word}")).collect();
        let changes = if parts.is_empty() { "nothing to change".to_owned() } else { parts.join(", ") };
        format!("{changes}; {} unchanged", self.unchanged)
    }
}

/// What is to be done with an object: nothing, or to write it in the place of that version, or of nothing.
pub(super) type Step = Option<Option<Box<str>>>;

/// The plan of everything.
pub(super) struct Plan {
    /// What is to be done with each object.
    pub(super) steps: Vec<Step>,
    pub(super) counts: Counts,
    /// What the server refuses, in sentences.
    pub(super) refused: Vec<String>,
    /// References that lead to nothing here.
    pub(super) missing: Missing,
}

/// Prints plans as they come.
pub(super) struct Printer {
    output: Output,
    list: ListPrinter,
}

impl Printer {
    pub(super) const fn new(output: Output) -> Self {
        Self { output, list: ListPrinter::new(output) }
    }

    /// Prints what is said about some objects: their names, their bodies, and what the server has answered.
    pub(super) fn print(&mut self, planned: &[(&Object, &Value)]) -> Result<(), Failure> {
        if planned.is_empty() {
            return Ok(());
        }
        if self.output == Output::Table {
            let each = planned.iter().map(|(object, answer)| {
                words::describe(&object.name, &object.body, &answer["plan"], &answer["warnings"])
            });
            return Ok(print_lines(each.collect::<Vec<_>>().join("\n"))?);
        }
        let item = |(object, answer): &(&Object, &Value)| {
            let mut item =
                json!({ "kind": object.kind, "name": object.name, "place": object.place, "plan": answer["plan"] });
            if let Some(warnings) = answer.get("warnings") {
                item["warnings"] = warnings.clone();
            }
            item
        };
        let items: Vec<Value> = planned.iter().map(item).collect();
        Ok(self.list.print(&items, |item| item["name"].as_str().unwrap_or_default().to_owned())?)
    }

    pub(super) fn end(self) -> Result<(), Failure> {
        Ok(self.list.end()?)
    }
}

/// Asks the server what would change.
pub(super) struct Planner<'a> {
    pub(super) server: &'a Server,
    /// Whether what belongs to another set is taken.
    pub(super) takes_over: bool,
    pub(super) printer: &'a mut Printer,
    pub(super) progress: &'a mut Progress,
}

impl Planner<'_> {
    /// Plans everything that is wanted, and prints what changes.
    pub(super) fn plan(&mut self, wanted: &mut Wanted) -> Result<Plan, Failure> {
        let mut plan = Plan {
            steps: vec![None; wanted.count()],
            counts: Counts::default(),
            refused: Vec::new(),
            missing: Missing::default(),
        };
        let mut batch: Batch<(usize, Object)> = Batch::default();
        // Collections that are to be made: the jobs in them are planned as if they were there.
        let mut new_collections = BTreeMap::new();
        let mut kind = None;
        wanted.each(|number, mut object| {
            if batch.is_full() || kind.is_some_and(|kind| kind != object.kind) {
                self.flush(&mut batch, &mut plan, &mut new_collections)?;
            }
            kind = Some(object.kind);
            references::resolve(&mut object.body, &mut plan.missing)?;
            let item = bulk::put(&object, &Condition::None);
            batch.add((number, object), &item);
            Ok(())
        })?;
        self.flush(&mut batch, &mut plan, &mut new_collections)?;
        self.progress.end();
        Ok(plan)
    }

    fn flush(
        &mut self,
        batch: &mut Batch<(usize, Object)>,
        plan: &mut Plan,
        new_collections: &mut BTreeMap<String, String>,
    ) -> Result<(), Failure> {
        let answers = batch.send(self.server, true, |waiting| {
            let named: BTreeSet<_> = waiting.iter().filter_map(|(_, object)| object.collection.as_deref()).collect();
            let new = named.into_iter().filter_map(|path| new_collections.get(&path.to_lowercase()));
            new.map(String::as_str).collect::<Vec<_>>().join(",")
        })?;
        let mut printed = Vec::new();
        for ((number, object), answer) in &answers {
            let object_plan = &answer["plan"];
            if let Some(sentence) = bulk::refusal(answer).or_else(|| self.foreign(object, object_plan)) {
                plan.refused.push(format!("{} ({}): {sentence}", object.name, object.place));
                continue;
            }
            let change = object_plan["change"].as_str().unwrap_or_default();
            plan.counts.add(change);
            if change == "unchanged" {
                continue;
            }
            plan.steps[*number] = Some(object_plan["etag"].as_str().map(Into::into));
            if change == "create" && object.kind == Kind::Collection {
                let item = json!({ "path": object.path, "body": object.body }).to_string();
                new_collections.insert(object.path.to_lowercase(), item);
            }
            printed.push((object, answer));
        }
        self.printer.print(&printed)?;
        let done = answers.last().map_or(0, |((number, _), _)| number + 1);
        self.progress.tell(done as u64, "object");
        Ok(())
    }

    /// Says that something belongs to another set, if it does and is not to be taken.
    fn foreign(&self, object: &Object, plan: &Value) -> Option<String> {
        let mut members = plan["members"].as_array()?.iter();
        let mark =
            members.find(|member| member["path"] == Set::member(object.kind) || is_holder(member, object.kind))?;
        let owner = owner(&mark["before"])?;
        let sentence = "belongs to the set {}: say --set {}, or take it over with --take-over";
        (!self.takes_over).then(|| sentence.replace("{}", owner))
    }
}

/// Whether a member that changes is one that held the mark and is gone as a whole.
fn is_holder(member: &Value, kind: Kind) -> bool {
    let holders: &[&str] = match kind {
        Kind::Job => &["options", "options.labels"],
        Kind::Collection => &["tags"],
        Kind::Alert => &[],
    };
    member["path"].as_str().is_some_and(|path| holders.contains(&path)) && owner(&member["before"]).is_some()
}

/// The set in what a member was before: the mark, or what held it.
fn owner(before: &Value) -> Option<&str> {
    let label = super::set::LABEL;
    before.as_str().or(before[label].as_str()).or(before["labels"][label].as_str())
}
