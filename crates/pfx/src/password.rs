//! A password in the forms in which keys are derived from it.

use zeroize::Zeroizing;

/// A password.
pub(crate) struct Password<'a> {
    /// For PBES2, as OpenSSL and Windows do it.
    pub(crate) utf8: &'a str,
    /// For everything else, with the most significant byte first and a zero at the end.
    pub(crate) utf16: Zeroizing<Vec<u8>>,
}

impl<'a> Password<'a> {
    /// The forms to try, one after the other: for an empty password some programs leave out the zero at the end.
    pub(crate) fn forms(text: &'a str) -> Vec<Self> {
        let units = text.encode_utf16().chain([0]);
        let terminated = Self { utf8: text, utf16: Zeroizing::new(units.flat_map(u16::to_be_bytes).collect()) };
        let none = text.is_empty().then(|| Self { utf8: text, utf16: Zeroizing::new(Vec::new()) });
        [terminated].into_iter().chain(none).collect()
    }
}
