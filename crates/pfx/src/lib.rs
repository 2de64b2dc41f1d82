//! Reads PFX files (PKCS #12, RFC 7292): a certificate with its private key and the certificates of its issuers, under a
//! password.
//!
//! The sender of a file may have written it by hand. So all work is bounded before it is done: the size of the file, and
//! the rounds of hashing that the file asks for. Nothing is looked up and no clock is read: whether a certificate is still
//! valid, or trusted by anyone, is not decided here.
//!
//! ```text
//!   base64 → file (mac: is the password right?) → bags (cipher) → keys and certificates → the ones that fit: Identity
//! ```

mod ber;
mod budget;
mod certificate;
mod cipher;
mod derive;
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

use budget::Budget;
use password::Password;

/// Opens a PFX file and takes out the first private key that has a certificate.
///
/// This takes a few milliseconds for a file that one of the usual programs wrote, and at most a second or two for any.
pub fn read(pfx_base64: &str, password: &str) -> Result<Identity, Error> {
    if pfx_base64.len() > limits::BASE64_CHARS_MAX {
        return Err(Error::TooLarge);
    }
    let bytes = Zeroizing::new(BASE64_STANDARD.decode(pfx_base64).map_err(|_| Error::NotBase64)?);
    let mut budget = Budget::default();
    let mut opened = Err(Error::WrongPassword);
    for form in Password::forms(password) {
        opened = file::open(&bytes, &form, &mut budget);
        if opened.as_ref().err() != Some(&Error::WrongPassword) {
            break;
        }
    }
    Identity::choose(&opened?)
}
