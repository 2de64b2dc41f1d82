//! `[plans]`: what the plans of the API allow here.

use punctual_model::collection::{Sku, SkuLimits, Spacing};
use punctual_model::recurrence::Frequency;
use punctual_model::{Expected, limits};

use super::reader::SettingsReader;

/// What each plan allows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Plans {
    free: SkuLimits,
    standard: SkuLimits,
    premium: SkuLimits,
    p10_premium: SkuLimits,
    p20_premium: SkuLimits,
}

impl Plans {
    pub(super) fn read(reader: &SettingsReader<'_>) -> Option<Self> {
        let free = read_limits(reader, "plans.free");
        let standard = read_limits(reader, "plans.standard");
        let premium = read_limits(reader, "plans.premium");
        let p10_premium = read_limits(reader, "plans.p10_premium");
        let p20_premium = read_limits(reader, "plans.p20_premium");
        Some(Self {
            free: free?,
            standard: standard?,
            premium: premium?,
            p10_premium: p10_premium?,
            p20_premium: p20_premium?,
        })
    }

    /// What a plan allows.
    pub(crate) fn of(&self, sku: Sku) -> SkuLimits {
        match sku {
            Sku::Free => self.free,
            Sku::Standard => self.standard,
            Sku::Premium => self.premium,
            Sku::P10Premium => self.p10_premium,
            Sku::P20Premium => self.p20_premium,
        }
    }
}

fn read_limits(reader: &SettingsReader<'_>, section: &str) -> Option<SkuLimits> {
    let jobs_max = reader.number(&format!("{section}.jobs_max"), 1..=limits::COUNT_MAX);
    let collections_max = reader.number(&format!("{section}.collections_max"), 1..=limits::COUNT_MAX);
    let recurrence_min = reader.parsed(&format!("{section}.recurrence_min"), parse_spacing);
    let allows_authentication = reader.boolean(&format!("{section}.authentication"));
    Some(SkuLimits {
        jobs_max: jobs_max?,
        collections_max: collections_max?,
        recurrence_min: recurrence_min?,
        allows_authentication: allows_authentication?,
    })
}

/// `1 hour`, `15 minutes`.
fn parse_spacing(text: &str) -> Result<Spacing, Expected> {
    let expected =
        || Expected::new("a number and minutes, hours, days, weeks, months or years, such as \"15 minutes\"");
    let (number, unit) = text.trim().split_once(' ').ok_or_else(expected)?;
    let number: i64 = number.parse().map_err(|_| expected())?;
    let unit = unit.trim().to_ascii_lowercase();
    let singular = unit.strip_suffix('s').unwrap_or(&unit);
    let frequency = Frequency::ALL.into_iter().find(|frequency| frequency.name().eq_ignore_ascii_case(singular));
    let frequency = frequency.ok_or_else(expected)?;
    let longest = || format!("1 to {} {singular}s", frequency.interval_max());
    Spacing::new(frequency, number).map_err(|_| Expected::new(longest()))
}

#[cfg(test)]
mod tests {
    use super::{Frequency, parse_spacing};

    #[test]
    fn spacings() {
        for (text, frequency, interval) in [
            ("1 hour", Frequency::Hour, 1),
            (" 15  Minutes ", Frequency::Minute, 15),
            ("10 years", Frequency::Year, 10),
        ] {
            let spacing = parse_spacing(text).unwrap();
            assert_eq!((spacing.frequency(), spacing.interval()), (frequency, interval), "{text}");
        }
        for text in ["", "hour", "1", "1hour", "0 hours", "-1 hours", "1 second", "1 hours s", "11 years", "1.5 hours"]
        {
            assert!(parse_spacing(text).is_err(), "{text}");
        }
    }
}
