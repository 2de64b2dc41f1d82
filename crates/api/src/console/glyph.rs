//! The signs of states: each has its own shape, so that colour says nothing alone.

use maud::{Markup, PreEscaped, html};

/// A sign, 12 pixels wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Glyph {
    Ran,
    /// Ran after a retry.
    RanLater,
    Failed,
    NotRun,
    Due,
    Running,
    Waiting,
    /// Disabled or paused.
    Off,
    Ended,
}

impl Glyph {
    const ALL: [Self; 9] = [
        Self::Ran,
        Self::RanLater,
        Self::Failed,
        Self::NotRun,
        Self::Due,
        Self::Running,
        Self::Waiting,
        Self::Off,
        Self::Ended,
    ];

    const fn id(self) -> &'static str {
        match self {
            Self::Ran => "g-ran",
            Self::RanLater => "g-later",
            Self::Failed => "g-failed",
            Self::NotRun => "g-not",
            Self::Due => "g-due",
            Self::Running => "g-running",
            Self::Waiting => "g-waits",
            Self::Off => "g-off",
            Self::Ended => "g-ended",
        }
    }

    const fn drawing(self) -> &'static str {
        match self {
            Self::Ran => r#"<circle class="ok" cx="6" cy="6" r="4.6"/>"#,
            Self::RanLater => r#"<circle class="line ok" stroke-width="3" cx="6" cy="6" r="3.4"/>"#,
            Self::Failed => r#"<path class="line bad" stroke-width="2.4" d="m2 2 8 8m0-8-8 8"/>"#,
            Self::NotRun => r#"<path class="line warn" stroke-width="1.5" d="M1.5 1.5h9v9h-9zM4 6h4"/>"#,
            Self::Due => r#"<circle class="line go" stroke-width="1.5" cx="6" cy="6" r="4.2"/>"#,
            Self::Running => {
                r#"<circle class="line go" stroke-width="1.5" cx="6" cy="6" r="4.5"/><path class="go" d="M6 1.5a4.5 4.5 0 0 1 0 9z"/>"#
            }
            Self::Waiting => {
                r#"<path class="line warn" stroke-width="1.5" d="M6 1.2a4.8 4.8 0 1 1-.01 0M6 3v3.2l2 1.3"/>"#
            }
            Self::Off => r#"<path class="line edge" stroke-width="2.2" d="M4 2v8m4-8v8"/>"#,
            Self::Ended => r#"<path class="edge" d="M3 3h6v6H3z"/>"#,
        }
    }

    /// The sign with words for those who do not see it.
    pub(super) fn named(self, words: &str) -> Markup {
        html! { svg.g role="img" aria-label=(words) { use href={ "#" (self.id()) } {} } }
    }

    /// The sign where words stand beside it.
    pub(super) fn plain(self) -> Markup {
        html! { svg.g aria-hidden="true" { use href={ "#" (self.id()) } {} } }
    }
}

/// What the signs in a page look like: those that it uses.
pub(super) fn symbols(page: &str) -> Markup {
    let used = Glyph::ALL.into_iter().filter(|glyph| page.contains(&format!("#{}\"", glyph.id())));
    html! {
        svg hidden {
            @for glyph in used {
                symbol id=(glyph.id()) viewBox="0 0 12 12" { (PreEscaped(glyph.drawing())) }
            }
        }
    }
}
