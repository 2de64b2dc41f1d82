//! Labels of jobs.

use std::collections::BTreeMap;

use punctual_model::labels::Labels;

use super::{Unreadable, parse, text};

/// Writes labels; nothing if there are none.
pub fn write_labels(labels: &Labels) -> Option<String> {
    Some(labels).filter(|labels| !labels.is_empty()).map(|labels| text(&labels.iter().collect::<BTreeMap<_, _>>()))
}

/// Reads labels, of which nothing may be written.
pub fn read_labels(text: Option<&str>) -> Result<Labels, Unreadable> {
    let Some(text) = text else { return Ok(Labels::default()) };
    Ok(Labels::new(parse(text)?)?)
}
