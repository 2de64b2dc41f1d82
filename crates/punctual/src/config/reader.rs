//! Settings become values of their types. What is wrong is gathered, so that all of it is said at once.
//!
//! Each function returns nothing where it has found something wrong. The caller reads everything it needs before it gives
//! up for something that is missing.

use std::cell::RefCell;
use std::ops::RangeInclusive;

use punctual_model::{Expected, Violation};

use super::settings::{Setting, Settings};

/// Reads settings by their keys.
pub(super) struct SettingsReader<'a> {
    settings: &'a Settings,
    violations: RefCell<Vec<Violation>>,
}

impl<'a> SettingsReader<'a> {
    /// Reads `settings`, in which `violations` have been found already.
    pub(super) fn new(settings: &'a Settings, violations: Vec<Violation>) -> Self {
        Self { settings, violations: violations.into() }
    }

    pub(super) fn into_violations(self) -> Vec<Violation> {
        self.violations.into_inner()
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &'a str> {
        self.settings.iter().map(|setting| setting.key.as_str())
    }

    pub(super) fn boolean(&self, key: &str) -> Option<bool> {
        let setting = self.setting(key)?;
        setting.value.as_bool().or_else(|| self.wrong(setting, "true or false"))
    }

    /// A number within bounds.
    pub(super) fn number(&self, key: &str, bounds: RangeInclusive<u32>) -> Option<u32> {
        let setting = self.setting(key)?;
        let number = setting.value.as_integer().and_then(|number| u32::try_from(number).ok());
        number
            .filter(|number| bounds.contains(number))
            .or_else(|| self.wrong(setting, format!("a number from {} to {}", bounds.start(), bounds.end())))
    }

    /// A number from 0 to 1.
    pub(super) fn fraction(&self, key: &str) -> Option<f64> {
        let setting = self.setting(key)?;
        // 0 and 1 may be written without a point.
        let whole = setting.value.as_integer().and_then(|number| u32::try_from(number).ok()).map(f64::from);
        let number = setting.value.as_float().or(whole).filter(|number| (0.0..=1.0).contains(number));
        number.or_else(|| self.wrong(setting, "a number from 0 to 1, such as 0.01"))
    }

    /// A text that `parse` takes.
    pub(super) fn parsed<T>(&self, key: &str, parse: impl Fn(&str) -> Result<T, Expected>) -> Option<T> {
        let setting = self.setting(key)?;
        let Some(text) = setting.value.as_str() else {
            // The parser knows best what the text should have been.
            let expected = parse("").err().map_or_else(|| "a text in quotes".to_owned(), |right| right.to_string());
            return self.wrong(setting, expected);
        };
        parse(text).map_err(|expected| self.refuse(key, expected.to_string())).ok()
    }

    /// A list of texts that `parse` takes.
    pub(super) fn list<T>(&self, key: &str, parse: impl Fn(&str) -> Result<T, Expected>) -> Option<Vec<T>> {
        let setting = self.setting(key)?;
        let Some(items) = setting.value.as_array() else {
            return self.wrong(setting, "a list: [\"one\", \"two\"]");
        };
        let parsed = items.iter().enumerate().map(|(at, item)| {
            let parsed = item.as_str().map_or_else(|| Err(Expected::new("a text in quotes")), &parse);
            let place = setting.origin.place(&format!("{key}[{at}]"));
            parsed.map_err(|expected| self.push(expected.at(place, setting.shown(item)))).ok()
        });
        // Every item is looked at, also after one that is wrong.
        let parsed: Vec<Option<T>> = parsed.collect();
        parsed.into_iter().collect()
    }

    /// What the key is set to does not go together with another one.
    pub(super) fn refuse(&self, key: &str, expected: impl Into<String>) {
        if let Some(setting) = self.setting(key) {
            let _: Option<()> = self.wrong(setting, expected);
        }
    }

    fn wrong<T>(&self, setting: &Setting, expected: impl Into<String>) -> Option<T> {
        self.push(Violation::new(setting.origin.place(&setting.key), setting.given(), expected));
        None
    }

    fn setting(&self, key: &str) -> Option<&'a Setting> {
        let setting = self.settings.get(key);
        if setting.is_none() {
            self.push(Violation::new(key, "nothing", "a default in config.default.toml"));
        }
        setting
    }

    fn push(&self, violation: Violation) {
        self.violations.borrow_mut().push(violation);
    }
}

/// Makes of a parser one that takes an empty text for nothing.
pub(super) fn optional<T>(parse: impl Fn(&str) -> Result<T, Expected>) -> impl Fn(&str) -> Result<Option<T>, Expected> {
    move |text| if text.is_empty() { Ok(None) } else { parse(text).map(Some) }
}
