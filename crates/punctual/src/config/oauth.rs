//! `[oauth]`: who issues the tokens that jobs show to their targets.

use punctual_actions::Authority;
use punctual_model::Expected;

use super::reader::SettingsReader;

pub(super) fn read(reader: &SettingsReader<'_>) -> Option<Authority> {
    let expected = "an address such as https://login.microsoftonline.com or https://id.example/{tenant}/token";
    reader.parsed("oauth.authority", |text| Authority::parse(text).map_err(|_| Expected::new(expected)))
}
