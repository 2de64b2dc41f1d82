//! The layers of a file, down to what lies in its bags.
//!
//! ```text
//!   PFX ─┬─ contents ─┬─ as they are ──┬─ bag: key            (a bag may hold bags, too)
//!        └─ MAC       └─ encrypted ────┼─ bag: encrypted key
//!                                      └─ bag: certificate
//! ```

use std::borrow::Cow;

use zeroize::Zeroizing;

use crate::ber::{CONTEXT_0, CONTEXT_0_PRIMITIVE, INTEGER, Item, OBJECT_IDENTIFIER, OCTET_STRING, Reader, SEQUENCE};
use crate::budget::Budget;
use crate::error::Error;
use crate::oid;
use crate::password::Password;
use crate::{mac, scheme};

/// What was found in a file, keys and certificates each in the order of the file.
#[derive(Default)]
pub(crate) struct Found {
    /// In PKCS #8, DER.
    pub(crate) keys: Vec<Zeroizing<Vec<u8>>>,
    /// In X.509, DER.
    pub(crate) certificates: Vec<Vec<u8>>,
}

/// An octet string may come in chunks, so it has one tag or the other.
const CHUNKED_OCTET_STRING: u8 = OCTET_STRING | 0x20;

/// Takes out of a file all that the password opens.
///
/// A file without a MAC is taken, too: a MAC protects from nobody who has the password, and a wrong password shows when
/// nothing that makes sense is decrypted.
pub(crate) fn open(bytes: &[u8], password: &Password<'_>, budget: &mut Budget) -> Result<Found, Error> {
    let (kind, contents, mac) = layers(bytes).ok_or(Error::NotPfx)?;
    if kind != oid::DATA {
        return Err(Error::Unsupported(oid::name(kind)));
    }
    let contents = octets(contents).ok_or(Error::NotPfx)?;
    if let Some(mac) = mac {
        mac::check(mac, &contents, password, budget)?;
    }
    let mut found = Found::default();
    let mut parts = Reader::new(&contents).sequence().ok_or(Error::NotPfx)?;
    while !parts.is_empty() {
        let (kind, content) = content_info(&mut parts).ok_or(Error::NotPfx)?;
        match kind {
            oid::DATA => {
                let bags = octets(content).ok_or(Error::NotPfx)?;
                found.add(&bags, password, budget, &Error::NotPfx)?;
            }
            oid::ENCRYPTED_DATA => {
                let (algorithm, encrypted) = encrypted_data(content).ok_or(Error::NotPfx)?;
                let encrypted = encrypted.octets().ok_or(Error::NotPfx)?;
                let bags = scheme::decrypt(algorithm, &encrypted, password, budget)?;
                found.add(&bags, password, budget, &Error::WrongPassword)?;
            }
            other => return Err(Error::Unsupported(oid::name(other))),
        }
    }
    Ok(found)
}

impl Found {
    /// Adds what lies in the bags. Bytes that are no bags give the error `mistake`.
    fn add(&mut self, bags: &[u8], password: &Password<'_>, budget: &mut Budget, mistake: &Error) -> Result<(), Error> {
        let mistake = || mistake.clone();
        let mut readers = vec![Reader::new(bags).sequence().ok_or_else(mistake)?];
        while let Some(mut bags) = readers.pop() {
            while !bags.is_empty() {
                let (kind, content) = content_info(&mut bags).ok_or_else(mistake)?;
                match kind {
                    oid::KEY_BAG => self.keys.push(Zeroizing::new(content.whole.to_vec())),
                    oid::SHROUDED_KEY_BAG => {
                        let (algorithm, encrypted) = encrypted_key(content).ok_or_else(mistake)?;
                        self.keys.push(scheme::decrypt(algorithm, encrypted.content, password, budget)?);
                    }
                    oid::CERTIFICATE_BAG => self.certificates.push(certificate(content).ok_or_else(mistake)?),
                    oid::SAFE_CONTENTS_BAG => readers.push(content.reader()),
                    // Revocation lists and secrets of other kinds.
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

/// The kind of the contents, the contents, and the MAC.
fn layers(bytes: &[u8]) -> Option<(&[u8], Item<'_>, Option<Item<'_>>)> {
    let mut pfx = Reader::new(bytes).sequence()?;
    let version = pfx.take(INTEGER)?.number()?;
    let (kind, contents) = content_info(&mut pfx)?;
    let mac = pfx.take(SEQUENCE);
    (version == 3 && pfx.is_empty()).then_some((kind, contents, mac))
}

/// Reads the shape that contents, bags and certificates have in common: an identifier of the kind, then the content.
/// Attributes behind the content are names for people, and for key stores of Windows.
fn content_info<'a>(reader: &mut Reader<'a>) -> Option<(&'a [u8], Item<'a>)> {
    let mut parts = reader.sequence()?;
    let kind = parts.take(OBJECT_IDENTIFIER)?.content;
    let content = parts.take(CONTEXT_0)?.reader().any()?;
    Some((kind, content))
}

fn octets(item: Item<'_>) -> Option<Cow<'_, [u8]>> {
    if matches!(item.tag, OCTET_STRING | CHUNKED_OCTET_STRING) { item.octets() } else { None }
}

/// The algorithm of encrypted data, and the encrypted bytes.
fn encrypted_data(data: Item<'_>) -> Option<(Item<'_>, Item<'_>)> {
    let mut data = data.reader();
    data.take(INTEGER)?;
    let mut content = data.sequence()?;
    content.take(OBJECT_IDENTIFIER)?;
    let algorithm = content.take(SEQUENCE)?;
    let encrypted = content.take(CONTEXT_0_PRIMITIVE).or_else(|| content.take(CONTEXT_0))?;
    Some((algorithm, encrypted))
}

/// The certificate in a bag. Whether it is one of X.509 shows when the certificate is parsed.
fn certificate(bag: Item<'_>) -> Option<Vec<u8>> {
    let (_, certificate) = content_info(&mut Reader::new(bag.whole))?;
    octets(certificate).map(Cow::into_owned)
}

fn encrypted_key(key: Item<'_>) -> Option<(Item<'_>, Item<'_>)> {
    let mut key = key.reader();
    Some((key.take(SEQUENCE)?, key.take(OCTET_STRING)?))
}
