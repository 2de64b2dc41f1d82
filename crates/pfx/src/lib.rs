//! Reads PFX files (PKCS #12, RFC 7292): a certificate with its private key and the certificates of its issuers, under a
//! password.
//!
//! Whoever sends a file may have written it by hand. So everything in it is bounded before it is done: its size, and the
//! rounds of hashing it asks for. Nothing is looked up and no clock is read: whether a certificate is still valid, or
//! trusted by anyone, is not asked here.
//!
//! ```text
//!   base64 → file (mac: is the password right?) → bags (cipher) → keys and certificates → the ones that fit: Identity
//! ```

mod ber;
mod certificate;
mod cipher;
mod derive;
mod effort;
mod error;
mod file;
mod hash;
mod hex;
mod identity;
mod key;
mod limits;
mod mac;
mod oid;
mod password;
mod scheme;
mod subject;

pub use error::Error;
pub use identity::Identity;
pub use key::PrivateKey;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use zeroize::Zeroizing;

use effort::Effort;
use password::Password;

/// Opens a PFX file and takes out the first private key that has a certificate.
///
/// Takes at most a second or two, and for a file as the usual programs write it a few milliseconds.
pub fn read(pfx_base64: &str, password: &str) -> Result<Identity, Error> {
    if pfx_base64.len() > limits::BASE64_CHARS_MAX {
        return Err(Error::TooLarge);
    }
    let bytes = Zeroizing::new(BASE64_STANDARD.decode(pfx_base64).map_err(|_| Error::NotBase64)?);
    let mut effort = Effort::default();
    let mut opened = Err(Error::WrongPassword);
    for form in Password::forms(password) {
        opened = file::open(&bytes, &form, &mut effort);
        if opened.as_ref().err() != Some(&Error::WrongPassword) {
            break;
        }
    }
    Identity::choose(&opened?)
}
