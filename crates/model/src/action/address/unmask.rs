//! Puts back what [`mask_address`](super::mask_address) has hidden.

use super::{Address, looks_secret};
use crate::action::MASK;

impl Address {
    /// Whether a part of the address is masked: as [`mask_address`](super::mask_address) does, or in the value of a single
    /// parameter, as people do by hand.
    pub(crate) fn is_masked(&self) -> bool {
        let mut pairs = self.query().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
        self.user_info().is_some_and(is_mask)
            || self.path().split('/').any(is_mask)
            || self.query().is_some_and(is_mask)
            || pairs.any(|(_, value)| is_mask(value))
            || self.fragment().is_some_and(is_masked_fragment)
    }

    /// The address with the parts of `stored` in the place of its masks, or nothing if `stored` has no such part. `stored` is
    /// of the same origin.
    ///
    /// A masked path is taken only as it was shown: with other segments it would say nothing certain about which is which.
    pub(crate) fn unmask(&self, stored: &Self) -> Option<Self> {
        let user = put_back(self.user_info(), stored.user_info(), ["", "@"])?;
        let path = put_back_segments(self.path(), stored.path())?;
        let query = match self.query() {
            Some(query) if !is_mask(query) => {
                format!("?{}", put_back_values(query, stored.query().unwrap_or_default())?)
            }
            query => put_back(query, stored.query(), ["?", ""])?,
        };
        let fragment = match self.fragment() {
            Some(fragment) if !is_masked_fragment(fragment) => Some(fragment),
            // A masked query hides the fragment behind it, too.
            None if !self.query().is_some_and(is_mask) => None,
            _ => stored.fragment(),
        };
        let before = &self.text[..self.path];
        let host = self.user_info.as_ref().map_or(before, |user| &before[user.end + 1..]);
        let scheme = self.user_info.as_ref().map_or("", |user| &before[..user.start]);
        let fragment = fragment.map(|fragment| format!("#{fragment}")).unwrap_or_default();
        Self::parse(&format!("{scheme}{user}{host}{path}{query}{fragment}")).ok()
    }
}

/// A part between its delimiters, or the stored one in the place of its mask; nothing if there is none. A part that the address
/// does not have is empty.
fn put_back(part: Option<&str>, stored: Option<&str>, [before, after]: [&str; 2]) -> Option<String> {
    let Some(part) = part else { return Some(String::new()) };
    let part = if is_mask(part) { stored? } else { part };
    Some(format!("{before}{part}{after}"))
}

fn put_back_segments(path: &str, stored: &str) -> Option<String> {
    if !path.split('/').any(is_mask) {
        return Some(path.to_owned());
    }
    let is_same = |(segment, stored): (&str, &str)| segment == stored || (is_mask(segment) && looks_secret(stored));
    let is_as_shown =
        path.split('/').count() == stored.split('/').count() && path.split('/').zip(stored.split('/')).all(is_same);
    is_as_shown.then(|| stored.to_owned())
}

fn put_back_values(query: &str, stored: &str) -> Option<String> {
    let stored_value = |name: &str| {
        let mut pairs = stored.split('&').filter_map(|pair| pair.split_once('='));
        pairs.find(|(known, _)| *known == name).map(|(_, value)| value)
    };
    let pairs: Option<Vec<_>> = query
        .split('&')
        .map(|pair| match pair.split_once('=') {
            Some((name, value)) if is_mask(value) => stored_value(name).map(|value| format!("{name}={value}")),
            _ => Some(pair.to_owned()),
        })
        .collect();
    pairs.map(|pairs| pairs.join("&"))
}

/// Whether a part is the mask, also as clients write it that encode more than they must.
fn is_mask(part: &str) -> bool {
    part == MASK || part.eq_ignore_ascii_case("%2A%2A%2A")
}

/// Whether the end of a fragment was taken for a query and masked.
fn is_masked_fragment(fragment: &str) -> bool {
    fragment.split_once('?').is_some_and(|(_, query)| is_mask(query))
}
