//! `properties.options`: what a job may choose beyond the original API.

use std::ops::RangeInclusive;

use crate::access::Scope;
use crate::time::{Span, TICKS_PER_DAY, TICKS_PER_SECOND};
use crate::{Expected, Violation, limits};

/// The options that the user wrote. An option that was not written has a default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    timeout: Option<Span>,
    jitter: Option<Span>,
    overlap: Option<Overlap>,
    catch_up: Option<CatchUp>,
    catch_up_max: Option<u32>,
    catch_up_spacing: Option<Span>,
    success: Option<Success>,
    placeholders: Option<bool>,
    shadow: Option<bool>,
    /// In a box, because only the server's own jobs have it.
    key_scope: Option<Box<Scope>>,
}

/// What happens when an occurrence is due while another one runs or waits for a retry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overlap {
    /// The new occurrence is not started, and that is recorded.
    #[default]
    Skip,
    /// The new occurrence is started beside the others.
    Allow,
}

/// What happens to occurrences that could not start in their time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CatchUp {
    /// The last of them runs, once.
    #[default]
    Latest,
    /// The last hundred (or `catchUpMax`) run, one after the other.
    All,
    /// None runs.
    None,
}

/// When an HTTP answer counts as success.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Success {
    /// The status codes; 2xx where none are named.
    pub status: Vec<StatusRange>,
    /// A text the body must contain.
    pub body_contains: Option<String>,
}

/// One status code, or a class of them written `2xx`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusRange(RangeInclusive<u16>);

/// The members of the options as someone wrote them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the members of the API by their own names")]
pub struct OptionsParts {
    pub timeout: Option<Span>,
    pub jitter: Option<Span>,
    pub overlap: Option<Overlap>,
    pub catch_up: Option<CatchUp>,
    pub catch_up_max: Option<i64>,
    pub catch_up_spacing: Option<Span>,
    pub success: Option<Success>,
    pub placeholders: Option<bool>,
    pub shadow: Option<bool>,
}

impl Options {
    /// The options, or everything that is wrong with them. Paths are relative to them.
    pub fn new(parts: OptionsParts) -> Result<Self, Vec<Violation>> {
        let mut violations = Vec::new();
        let spans = [
            (
                "timeout",
                &parts.timeout,
                limits::TIMEOUT_TICKS_MIN..=limits::TIMEOUT_TICKS_MAX,
                "1 second to 30 minutes",
            ),
            ("jitter", &parts.jitter, 0..=TICKS_PER_DAY, "at most 1 day"),
            ("catchUpSpacing", &parts.catch_up_spacing, 0..=TICKS_PER_DAY, "at most 1 day"),
        ];
        for (member, span, range, expected) in spans {
            if let Some(span) = span.as_ref().filter(|span| !range.contains(&span.ticks())) {
                violations.push(Violation::new(member, span, expected));
            }
        }
        let right_max = |max: i64| u32::try_from(max).ok().filter(|n| (1..=limits::CATCH_UP_MAX).contains(n));
        let catch_up_max = parts.catch_up_max.and_then(|given| {
            if right_max(given).is_none() {
                violations.push(Violation::new("catchUpMax", given, format!("1 to {}", limits::CATCH_UP_MAX)));
            }
            right_max(given)
        });
        if let Some(success) = &parts.success {
            let length = success.body_contains.as_ref().map_or(0, |text| text.chars().count());
            if length > limits::EXCERPT_CHARS_MAX {
                let expected = format!("a text of at most {} characters", limits::EXCERPT_CHARS_MAX);
                violations.push(Violation::new("success.bodyContains", format!("{length} characters"), expected));
            }
            if success.status.len() > limits::SUCCESS_STATUS_MAX {
                let expected = format!("at most {} entries", limits::SUCCESS_STATUS_MAX);
                violations.push(Violation::new("success.status", success.status.len(), expected));
            }
        }
        if !violations.is_empty() {
            return Err(violations);
        }
        let OptionsParts {
            timeout, jitter, overlap, catch_up, catch_up_spacing, success, placeholders, shadow, ..
        } = parts;
        let key_scope = None;
        Ok(Self {
            timeout,
            jitter,
            overlap,
            catch_up,
            catch_up_max,
            catch_up_spacing,
            success,
            placeholders,
            shadow,
            key_scope,
        })
    }

    /// The options of a job of the server's own, which may use what keys of the operator serve that scope. Users cannot choose it.
    #[must_use]
    pub fn with_key_scope(self, scope: Scope) -> Self {
        Self { key_scope: Some(Box::new(scope)), ..self }
    }

    /// The scope that the keys of the operator must serve; none where it is the collection of the job.
    pub fn key_scope(&self) -> Option<&Scope> {
        self.key_scope.as_deref()
    }

    /// As the user wrote them.
    pub fn parts(&self) -> OptionsParts {
        OptionsParts {
            timeout: self.timeout.clone(),
            jitter: self.jitter.clone(),
            overlap: self.overlap,
            catch_up: self.catch_up,
            catch_up_max: self.catch_up_max.map(i64::from),
            catch_up_spacing: self.catch_up_spacing.clone(),
            success: self.success.clone(),
            placeholders: self.placeholders,
            shadow: self.shadow,
        }
    }

    /// How long one attempt may take, in ticks.
    pub fn timeout_ticks(&self) -> i64 {
        self.timeout.as_ref().map_or(limits::TIMEOUT_TICKS_DEFAULT, Span::ticks)
    }

    /// The longest the start is moved, in ticks.
    pub fn jitter_ticks(&self) -> i64 {
        self.jitter.as_ref().map_or(0, Span::ticks)
    }

    /// What happens when occurrences overlap.
    pub fn overlap(&self) -> Overlap {
        self.overlap.unwrap_or_default()
    }

    /// What happens to missed occurrences.
    pub fn catch_up(&self) -> CatchUp {
        self.catch_up.unwrap_or_default()
    }

    /// How many missed occurrences run at most.
    pub fn catch_up_max(&self) -> u32 {
        self.catch_up_max.unwrap_or(limits::CATCH_UP_MAX_DEFAULT)
    }

    /// How far apart missed occurrences start, in ticks.
    pub fn catch_up_spacing_ticks(&self) -> i64 {
        self.catch_up_spacing.as_ref().map_or(TICKS_PER_SECOND, Span::ticks)
    }

    /// When an HTTP answer counts as success, where the user said so.
    pub fn success(&self) -> Option<&Success> {
        self.success.as_ref()
    }

    /// Whether nothing is sent: it is only recorded what would have been.
    pub fn is_shadow(&self) -> bool {
        self.shadow == Some(true)
    }

    /// Whether placeholders in the actions are filled in.
    pub fn has_placeholders(&self) -> bool {
        self.placeholders == Some(true)
    }
}

impl Success {
    /// Whether a status is one of success: 2xx, unless the user said otherwise.
    pub fn accepts(rule: Option<&Self>, status: u16) -> bool {
        match rule.map(|rule| rule.status.as_slice()) {
            None | Some([]) => (200..=299).contains(&status),
            Some(ranges) => ranges.iter().any(|range| range.contains(status)),
        }
    }
}

impl Overlap {
    /// All values.
    pub const ALL: [Self; 2] = [Self::Skip, Self::Allow];

    /// Its name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Skip => "skip",
            Self::Allow => "allow",
        }
    }
}

impl CatchUp {
    /// All values.
    pub const ALL: [Self; 3] = [Self::Latest, Self::All, Self::None];

    /// Its name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Latest => "latest",
            Self::All => "all",
            Self::None => "none",
        }
    }
}

impl StatusRange {
    /// Reads `204`, `2xx` or `200-204`.
    pub fn parse(text: &str) -> Result<Self, Expected> {
        let code = |text: &str| text.parse::<u16>().ok().filter(|code| (100..=599).contains(code));
        let class = text.strip_suffix("xx").or_else(|| text.strip_suffix("XX"));
        let class = class.and_then(|digit| digit.parse::<u16>().ok()).filter(|class| (1..=5).contains(class));
        let range = match (class, text.split_once('-')) {
            (Some(class), _) => Some(class * 100..=class * 100 + 99),
            (None, Some((first, last))) => code(first).zip(code(last)).map(|(first, last)| first..=last),
            (None, None) => code(text).map(|code| code..=code),
        };
        range
            .filter(|range| !range.is_empty())
            .map(Self)
            .ok_or(Expected::new("a status code from 100 to 599, a class such as 2xx or a range such as 200-204"))
    }

    /// Whether it holds that code.
    pub fn contains(&self, code: u16) -> bool {
        self.0.contains(&code)
    }
}

impl std::fmt::Display for StatusRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (first, last) = (self.0.start(), self.0.end());
        if first == last {
            write!(f, "{first}")
        } else if first % 100 == 0 && last - first == 99 {
            write!(f, "{}xx", first / 100)
        } else {
            write!(f, "{first}-{last}")
        }
    }
}
