//! Making and editing a job: a form and its JSON are two views of one draft.

mod fields;
mod foresight;
mod sections;

use http::StatusCode;
use maud::{Markup, html};
use punctual_model::{Name, Violation};
use punctual_store::{CollectionKey, JobKey};

use self::fields::Draft;
use self::foresight::Foresight;
use crate::api::Api;
use crate::condition::{Condition, ETag};
use crate::console::Asked;
use crate::console::actions::{parse_job_value, require_writer};
use crate::console::cookies;
use crate::console::draft;
use crate::console::form::Form;
use crate::console::frame::{Page, Tab, token};
use crate::console::reply::Reply;
use crate::console::visitor::Visitor;
use crate::fault::Fault;
use crate::operations::{self, JobChange, JobOrder, JobWish};
use crate::query::Query;
use crate::route::DEFAULT_COLLECTION;
use crate::routes::jobs::holds_certificate;
use crate::target_check::MissingKey;
use crate::wire::{Json, Unknown, parse_job_json};

/// The page, before it is drawn.
struct Editor<'a> {
    visitor: &'a Visitor,
    draft: Draft,
    /// The job that is edited; none if it is new.
    key: Option<&'a JobKey>,
    /// The version that the draft began with.
    etag: String,
    /// Whether the JSON is shown.
    is_json: bool,
    /// What was typed as JSON and cannot be read.
    text: Option<String>,
    violations: Vec<Violation>,
    /// What is wrong with all of it.
    message: Option<String>,
    /// The collections in which the visitor may make a job.
    collections: Vec<CollectionKey>,
}

/// Draws the page of a job that exists.
pub(in crate::console) async fn show(
    api: &Api,
    visitor: &Visitor,
    key: &JobKey,
    query: &Query,
) -> Result<Reply, Fault> {
    require_writer(visitor, &key.collection)?;
    let (json, etag) = stored(api, visitor, key).await?;
    let draft = Draft { json, collection: None, name: key.job.to_string() };
    let is_json = query.get("as") == Some("json");
    let editor = Editor {
        visitor,
        draft,
        key: Some(key),
        etag,
        is_json,
        text: None,
        violations: Vec::new(),
        message: None,
        collections: Vec::new(),
    };
    editor.reply(api, StatusCode::OK).await
}

/// Draws the page of a new job: empty, with what the address says, or a copy of another one.
pub(in crate::console) async fn show_new(api: &Api, visitor: &Visitor, query: &Query) -> Result<Reply, Fault> {
    let collections = writable(api, visitor).await?;
    let (mut json, mut collection, mut name) = (Json::Object(Vec::new()), None, String::new());
    if let Some(from) = query.get("from").and_then(parse_job_value) {
        require_writer(visitor, &from.collection)?;
        (json, _) = stored(api, visitor, &from).await?;
        name = format!("{}-copy", from.job);
        collection = Some(from.collection);
    } else {
        let every = query.get("every").unwrap_or("hour").to_lowercase();
        let text = |text: &str| Some(Json::Text(text.to_owned()));
        draft::set(&mut json, "action.request.uri", query.get("uri").and_then(text));
        draft::set(&mut json, "recurrence.frequency", text(&every));
    }
    let named = query.get("collection").map(str::to_lowercase);
    let wanted = named.unwrap_or_else(|| DEFAULT_COLLECTION.to_owned());
    let found = collections.iter().find(|key| key.collection.folded() == wanted).or(collections.first()).cloned();
    let draft = Draft { json, collection: collection.or(found), name };
    let is_json = query.get("as") == Some("json");
    let editor = Editor {
        visitor,
        draft,
        key: None,
        etag: String::new(),
        is_json,
        text: None,
        violations: Vec::new(),
        message: None,
        collections,
    };
    editor.reply(api, StatusCode::OK).await
}

/// Saves a job that exists, or checks what would be saved.
pub(in crate::console) async fn save(
    api: &Api,
    visitor: &Visitor,
    key: &JobKey,
    form: &Form,
    asked: &Asked<'_>,
) -> Result<Reply, Fault> {
    require_writer(visitor, &key.collection)?;
    let etag = form.get("etag").unwrap_or_default().to_owned();
    let (draft, text, violations) = read(form, key.job.to_string(), None);
    let editor = Editor {
        visitor,
        draft,
        key: Some(key),
        etag,
        is_json: form.get("view") == Some("json"),
        text,
        violations,
        message: None,
        collections: Vec::new(),
    };
    editor.save(api, key, form, asked).await
}

/// Saves a new job, or checks what would be saved.
pub(in crate::console) async fn save_new(
    api: &Api,
    visitor: &Visitor,
    form: &Form,
    asked: &Asked<'_>,
) -> Result<Reply, Fault> {
    let collections = writable(api, visitor).await?;
    // The value of the field is the path of a job without its name.
    let collection =
        form.get("collection").and_then(|path| parse_job_value(&format!("{path}/x"))).map(|key| key.collection);
    let name = form.get("name").unwrap_or_default().to_owned();
    let (draft, text, mut violations) = read(form, name.clone(), collection.clone());
    let parsed = Name::parse(&name).map_err(|expected| expected.at("name", format!("{name:?}")));
    let collection =
        collection.ok_or_else(|| Fault::Forbidden("There is no collection in which you may make a job.".to_owned()))?;
    require_writer(visitor, &collection)?;
    let key = parsed.map(|job| JobKey { collection, job });
    violations.extend(key.as_ref().err().filter(|_| form.get("do") == Some("save")).cloned());
    let editor = Editor {
        visitor,
        draft,
        key: None,
        etag: String::new(),
        is_json: form.get("view") == Some("json"),
        text,
        violations,
        message: None,
        collections,
    };
    match key {
        Ok(key) => editor.save(api, &key, form, asked).await,
        Err(_) => editor.reply(api, StatusCode::BAD_REQUEST).await,
    }
}

/// What a form holds: the draft it began with, and what was typed over it; or the JSON.
fn read(form: &Form, name: String, collection: Option<CollectionKey>) -> (Draft, Option<String>, Vec<Violation>) {
    let base = form.get("draft").and_then(|text| Json::parse(text).ok()).unwrap_or(Json::Object(Vec::new()));
    let mut draft = Draft { json: base, collection, name };
    if form.get("view") != Some("json") {
        draft.apply(form);
        return (draft, None, Vec::new());
    }
    let text = form.get("json").unwrap_or_default().to_owned();
    match Json::parse_relaxed(&text) {
        Ok((json, _)) => {
            draft.json = json;
            (draft, None, Vec::new())
        }
        Err(violations) => (draft, Some(text), violations),
    }
}

async fn stored(api: &Api, visitor: &Visitor, key: &JobKey) -> Result<(Json, String), Fault> {
    let (collection, job) = operations::find_job(&api.operations, key).await?;
    let moment = operations::moment(&api.operations, &visitor.caller).await?;
    let status = operations::row_status(moment, &collection, &job);
    Ok((draft::definition(&collection, &job, &status, true), ETag::of_job(&job).as_str().to_owned()))
}

async fn writable(api: &Api, visitor: &Visitor) -> Result<Vec<CollectionKey>, Fault> {
    let (collections, _) = operations::list_visible_collections(&api.operations, &visitor.caller).await?;
    let writable: Vec<_> =
        collections.into_iter().map(|entry| entry.key).filter(|key| visitor.may_write(key)).collect();
    if writable.is_empty() {
        return Err(Fault::Forbidden("To make a job you need the role contributor on a collection.".to_owned()));
    }
    Ok(writable)
}

impl Editor<'_> {
    async fn save(mut self, api: &Api, key: &JobKey, form: &Form, asked: &Asked<'_>) -> Result<Reply, Fault> {
        if !self.violations.is_empty() {
            return self.reply(api, StatusCode::BAD_REQUEST).await;
        }
        let (json, principal) = (self.draft.json.clone(), self.visitor.caller.principal.clone());
        let bytes = json.written_bytes();
        let parsed = if holds_certificate(&json) {
            api.long_work.run(&principal, move || parse_job_json(&json, Unknown::Refused)).await?
        } else {
            parse_job_json(&json, Unknown::Refused)
        };
        let input = match parsed {
            Ok(input) => input,
            Err(violations) => {
                self.violations = violations;
                let status = if form.get("do") == Some("save") { StatusCode::BAD_REQUEST } else { StatusCode::OK };
                return self.reply(api, status).await;
            }
        };
        if form.get("do") != Some("save") {
            return self.reply(api, StatusCode::OK).await;
        }
        let change = JobChange::Put(Box::new(JobWish { input, bytes, path: "" }));
        let condition = match self.key {
            Some(_) => Condition { if_match: Some(self.etag.clone()), if_none_match: None },
            None => Condition { if_match: None, if_none_match: Some("*".to_owned()) },
        };
        let caller = &self.visitor.caller;
        let missing_key = MissingKey::Refused;
        let order = JobOrder { key, condition: &condition, change, missing_key, replaces_ended: false };
        match Box::pin(operations::save_job(&api.operations, caller, &order)).await {
            Ok(saved) => {
                let warned: Vec<_> = saved.warnings.iter().map(ToString::to_string).collect();
                let note = format!("{} is saved. {}", key.job, warned.join(". "));
                Ok(Reply::see_other(&self.visitor.links.job(key)).cookie(&cookies::note(note.trim(), asked.is_secure)))
            }
            Err(Fault::Invalid(violations)) => {
                self.violations = violations;
                self.reply(api, StatusCode::BAD_REQUEST).await
            }
            Err(Fault::PreconditionFailed { .. }) => {
                self.message = Some(match self.key {
                    Some(_) => "Somebody has saved this job since you opened it. Open the page again to see theirs, or copy your JSON first.".to_owned(),
                    None => format!("There is a job named {} already. Choose another name.", key.job),
                });
                self.reply(api, StatusCode::PRECONDITION_FAILED).await
            }
            Err(fault @ (Fault::Conflict { .. } | Fault::CollectionFull { .. } | Fault::Ended { .. })) => {
                let (status, message) = fault.sentence();
                self.message = Some(message);
                self.reply(api, status).await
            }
            Err(fault) => Err(fault),
        }
    }

    async fn reply(self, api: &Api, status: StatusCode) -> Result<Reply, Fault> {
        let foresight = Foresight::read(api, self.visitor, &self.draft.json, self.key).await?;
        let title = if self.key.is_some() { format!("Edit {}", self.draft.name) } else { "New job".to_owned() };
        let content = self.draw(&title, &foresight);
        Ok(Reply::page_with(status, Page::new(&title, Tab::Jobs, content).show(self.visitor)))
    }

    fn address(&self) -> String {
        self.key.map_or_else(|| "/jobs/new".to_owned(), |key| self.visitor.links.in_job(key, "/edit"))
    }

    fn draw(&self, title: &str, foresight: &Foresight) -> Markup {
        let address = self.address();
        let sign = if address.contains('?') { '&' } else { '?' };
        html! {
            div.head {
                div {
                    p.crumb {
                        a.q href="/jobs" { "Jobs" }
                        @if let Some(key) = self.key { " / " a.q href=(self.visitor.links.jobs_of(&key.collection)) { (key.collection.collection) } " / " a.q href=(self.visitor.links.job(key)) { (key.job) } }
                    }
                    h1.name { (title) }
                }
                div.acts {
                    div.seg role="group" aria-label="View" {
                        a href=(address) aria-current=[(!self.is_json).then_some("true")] { "Form" }
                        a href={ (address) (sign) "as=json" } aria-current=[self.is_json.then_some("true")] { "JSON" }
                    }
                }
            }
            @if let Some(message) = &self.message { div.note.bad role="alert" { span { (message) } } }
            form.two method="post" action=(address) autocomplete="off" data-check novalidate {
                div {
                    (token(self.visitor))
                    input type="hidden" name="etag" value=(self.etag);
                    @if self.key.is_none() { (sections::naming(self)) }
                    @if self.is_json { (self.json_view()) } @else {
                        input type="hidden" name="draft" value=(draft::compact(&self.draft.json));
                        (sections::all(self))
                    }
                    (self.save_bar())
                }
                aside { div.stick #foresight { (foresight.draw(self.visitor)) } }
            }
        }
    }

    fn json_view(&self) -> Markup {
        let text = self.text.clone().unwrap_or_else(|| draft::pretty(&self.draft.json));
        let lines = text.lines().count().clamp(12, 40);
        html! {
            input type="hidden" name="view" value="json";
            fieldset {
                legend { "Definition" }
                label.vh for="json" { "Definition as JSON" }
                textarea #json name="json" rows=(lines) spellcheck="false" { (text) }
                p.hint { "As on " code { "/v1" } "; comments and trailing commas are read over. Secrets that are not sent again are kept." }
            }
        }
    }

    /// The complaint about a field.
    fn complaint(&self, path: &str) -> Option<&Violation> {
        self.violations.iter().find(|violation| violation.path == path)
    }

    /// Complaints that no field of the form can show.
    fn others(&self) -> impl Iterator<Item = &Violation> {
        let has_field =
            |path: &str| !self.is_json && (path == "name" || fields::FIELDS.iter().any(|(known, _)| *known == path));
        self.violations.iter().filter(move |violation| !has_field(&violation.path))
    }

    fn save_bar(&self) -> Markup {
        html! {
            div.save {
                button.p name="do" value="save" { "Save" }
                button name="do" value="check" { "Check" }
                a.b href=(self.key.map_or_else(|| "/jobs".to_owned(), |key| self.visitor.links.job(key))) { "Cancel" }
                span.end.err role="alert" {
                    @if !self.violations.is_empty() {
                        (crate::console::numbers::counted(self.violations.len() as u64, "field needs", "fields need")) " a look: "
                        @for (at, violation) in self.violations.iter().take(3).enumerate() {
                            @if at > 0 { ", " }
                            a href={ "#" (violation.path) } { (violation.path.rsplit('.').next().unwrap_or_default()) }
                        }
                    }
                }
            }
            @let others: Vec<_> = self.others().collect();
            @if !others.is_empty() { ul.err { @for violation in others { li { (violation) } } } }
        }
    }
}
