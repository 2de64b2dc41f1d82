//! The frame of every page: the bar with search, zone, pause and account; what everyone must know; the foot.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use punctual_store::PauseEntry;

use super::address::encode;
use super::assets;
use super::form;
use super::glyph::{self, Glyph};
use super::people::People;
use super::times::{TimesIn, zone_name};
use super::visitor::{Theme, Visitor};

/// The pages of the bar.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tab {
    Overview,
    Jobs,
    Collections,
    Alerts,
    Forecast,
    Cluster,
    None,
}

const TABS: [(Tab, &str, &str); 6] = [
    (Tab::Overview, "/", "Overview"),
    (Tab::Jobs, "/jobs", "Jobs"),
    (Tab::Collections, "/collections", "Collections"),
    (Tab::Alerts, "/alerts", "Alerts"),
    (Tab::Forecast, "/forecast", "Forecast"),
    (Tab::Cluster, "/cluster", "Cluster"),
];

/// A page inside its frame.
pub(super) struct Page<'a> {
    pub(super) title: &'a str,
    pub(super) tab: Tab,
    /// Whether on a phone what needs its reader comes before the pictures.
    pub(super) is_lead: bool,
    pub(super) content: Markup,
}

impl<'a> Page<'a> {
    pub(super) const fn new(title: &'a str, tab: Tab, content: Markup) -> Self {
        Self { title, tab, is_lead: false, content }
    }

    /// The page for a visitor.
    pub(super) fn show(self, visitor: &Visitor) -> Markup {
        let Self { title, tab, is_lead, content } = self;
        let top = top(visitor, tab);
        let body = html! {
            (top)
            main #main .lead[is_lead] {
                (pause_bar(visitor))
                (content)
            }
            (foot(visitor))
            @if let Some(note) = &visitor.note { (toast(visitor, note)) }
            (palette(visitor))
        };
        document(title, visitor.view.theme, &body)
    }
}

/// What was just done; with the number of a deletion behind it, how to take it back.
fn toast(visitor: &Visitor, note: &str) -> Markup {
    let (note, undo) = note.split_once('\n').map_or((note, None), |(note, number)| (note, Some(number)));
    html! {
        div.toast role="status" data-toast {
            span { (note) }
            @if let Some(number) = undo {
                form method="post" action="/undo" {
                    (token(visitor))
                    input type="hidden" name="back" value=(visitor.here);
                    button.sm name="undo" value=(number) data-key="u" { "Undo" }
                }
            }
        }
    }
}

/// A document around what a page holds, for pages that have no visitor as well.
pub(super) fn document(title: &str, theme: Option<Theme>, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" data-theme=[theme.map(Theme::name)] {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                title { (title) " · Punctual" }
                link rel="icon" href=(assets::address("mark.svg"));
                link rel="stylesheet" href=(assets::address("console.css"));
                script src=(assets::address("console.js")) defer {}
            }
            body {
                a.skip.b href="#main" { "To the content" }
                (glyph::symbols(&body.0))
                (body)
            }
        }
    }
}

/// The mark of the house: two runs that were, one that is to come.
pub(super) fn mark() -> Markup {
    PreEscaped(
        r#"<svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true"><path d="M2 5h3v8H2zM7 8h3v5H7z"/><path class="line" stroke-width="1.4" d="M12.7 3.7h2.6v8.6h-2.6zM0 15.3h20"/></svg>"#
            .to_owned(),
    )
}

fn top(visitor: &Visitor, tab: Tab) -> Markup {
    html! {
        header.top {
            a.brand href="/" { (mark()) "Punctual" }
            nav aria-label="Main" {
                @for (known, address, name) in TABS {
                    a href=(address) aria-current=[(known == tab).then_some("page")] { (name) }
                }
            }
            form.find role="search" aria-label="Everything" action="/search" {
                label.vh for="q" { "Search everything" }
                input #q name="q" type="search" placeholder="Search jobs, targets, ids" autocomplete="off";
                kbd { "Ctrl K" }
            }
            (zones(visitor))
            (pause_button(visitor))
            (account(visitor))
        }
    }
}

/// The address of this page with one parameter of the view.
fn with(visitor: &Visitor, parameter: &str, value: &str) -> String {
    let sign = if visitor.here.contains('?') { '&' } else { '?' };
    format!("{}{sign}{parameter}={}", visitor.here, encode(value))
}

fn zones(visitor: &Visitor) -> Markup {
    let name = |choice| match choice {
        TimesIn::Mine => zone_name(visitor.view.own_zone),
        TimesIn::Jobs => "Job’s".to_owned(),
        TimesIn::Utc => "UTC".to_owned(),
    };
    // Who is in UTC, or whose clock is not known, needs no two buttons for the same.
    let is_utc = name(TimesIn::Mine) == "UTC";
    let choices = TimesIn::ALL.into_iter().filter(|choice| *choice != TimesIn::Mine || !is_utc);
    let chosen = if is_utc && visitor.view.times_in == TimesIn::Mine { TimesIn::Utc } else { visitor.view.times_in };
    html! {
        div.seg.wide role="group" aria-label="Times are shown in" {
            @for choice in choices {
                a href=(with(visitor, "tz", choice.name())) aria-current=[(choice == chosen).then_some("true")] data-zone=[(choice == chosen).then_some("")] {
                    (name(choice))
                }
            }
        }
    }
}

fn pause_button(visitor: &Visitor) -> Markup {
    if !visitor.is_owner() {
        return html! {};
    }
    html! {
        @if visitor.pause.is_some() {
            form method="post" action="/pause" {
                (token(visitor))
                button.sm.p name="do" value="resume" aria-label="Resume" { (Glyph::Running.plain()) span.wide { "Resume" } }
            }
        } @else {
            a.b.sm href="/pause" aria-label="Pause everything" { (Glyph::Off.plain()) span.wide { "Pause everything" } }
        }
    }
}

fn account(visitor: &Visitor) -> Markup {
    let other = match visitor.view.theme {
        Some(Theme::Dark) => Theme::Light,
        _ => Theme::Dark,
    };
    html! {
        details.menu {
            summary.b.sm { span.name { (visitor.name.split(',').next().unwrap_or_default()) } }
            div.pop {
                span.dim { (visitor.role()) }
                a href=(with(visitor, "tz", "utc")) { "Times in UTC" }
                a href=(with(visitor, "tz", "job")) { "Times of each job’s zone" }
                a href=(with(visitor, "theme", other.name())) data-theme-next { "Light or dark" }
                a href="/access" { "Access" }
                @if visitor.has_session {
                    form method="post" action="/sign-out" { (token(visitor)) button { "Sign out" } }
                }
            }
        }
    }
}

/// The field that every form holds.
pub(super) fn token(visitor: &Visitor) -> Markup {
    html! { input type="hidden" name=(form::TOKEN) value=(visitor.form_token); }
}

/// What everyone must know while nothing is started.
fn pause_bar(visitor: &Visitor) -> Markup {
    let Some(PauseEntry { since, paused_by, why, .. }) = &visitor.pause else { return html! {} };
    let times = visitor.times();
    html! {
        div.note.warn role="status" {
            (Glyph::Off.plain())
            span {
                b { "Everything is paused" } " since " (times.show(*since)) " by " (People::default().name(visitor, paused_by)) "."
                @if !why.is_empty() { " “" (why) "”" }
                " Nothing starts until it is resumed."
            }
            @if visitor.is_owner() {
                span.end { a.b.sm href="/pause" { "What would resuming do?" } }
            }
        }
    }
}

fn foot(visitor: &Visitor) -> Markup {
    let now = visitor.caller.now;
    html! {
        footer.foot {
            span { "Punctual " (env!("CARGO_PKG_VERSION")) }
            a href="/openapi.json" { "API" }
            span { "Page drawn at " time datetime=(now) { (visitor.times().clock(now)) } " " (zone_name(visitor.times().zone)) }
            span.wide { "Keys: press " kbd { "?" } }
        }
    }
}

/// What the search box holds before anything is typed, for the script to open; the form of the bar does the same without it.
fn palette(visitor: &Visitor) -> Markup {
    html! {
        dialog #palette aria-label="Search everything" {
            form action="/search" {
                input type="search" name="q" aria-label="Search" placeholder="Job, target, id or page" autocomplete="off";
            }
            ul {
                @if visitor.may_write_something() { li { a href="/jobs/new" { "New job" } } }
                @for (_, address, name) in TABS { li { a href=(address) { (name) } } }
                li { a href="/access" { "Access" } }
            }
        }
        dialog #keys aria-label="Keys" {
            div.keys {
                h2 { "Keys" }
                dl.kv {
                    @for (keys, what) in KEYS { dt { kbd { (keys) } } dd { (what) } }
                }
                form method="dialog" { button.sm { "Close" } }
            }
        }
    }
}

const KEYS: [(&str, &str); 12] = [
    ("Ctrl K", "search everything"),
    ("/", "filter this page"),
    ("g o, g j, g c, g a, g f, g n", "overview, jobs, collections, alerts, forecast, cluster"),
    ("j, k", "next, previous row"),
    ("Enter", "open"),
    ("x", "select"),
    ("e", "edit"),
    ("r", "run now"),
    ("c", "new job"),
    ("u", "undo"),
    ("t", "next zone"),
    ("?", "this list"),
];
