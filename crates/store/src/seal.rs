//! What keeps secrets from being read in a database file, a backup or an export.
//!
//! The whole action of a job is sealed as one blob (AES-256-GCM), bound to the job: moved to another one, it does not open.
//!
//! ```text
//!   version │ key id │ nonce │ ciphertext and tag
//!      1    │   4    │  12   │
//! ```
//!
//! Keys are kept outside the database and have numbers, so that a new one can be taken while the old one still opens what
//! it has sealed. The database holds a check value of each, by which a wrong key is noticed at the start and not at the
//! first call.

use std::fmt;

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::rand::{SecureRandom, SystemRandom};
use punctual_model::job::Uid;

const VERSION: u8 = 1;
const HEADER_LENGTH: usize = 1 + 4 + NONCE_LEN;
const KEY_LENGTH: usize = 32;

/// The keys a server has. The last one seals, all of them open.
pub struct Keyring {
    keys: Vec<Key>,
}

struct Key {
    id: u32,
    bytes: [u8; KEY_LENGTH],
    /// Made once: opening an action takes less time than making this.
    cipher: LessSafeKey,
}

/// Why something does not open, or a key is not taken.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The blob names a key that is not there.
    #[error("sealed with key {0}, which this server does not have")]
    UnknownKey(u32),
    /// The blob was changed, or belongs to another job, or was sealed with another key of that number.
    #[error("does not open: it was changed, or is not where it belongs")]
    Broken,
    /// The text of a key file cannot be read.
    #[error("line {0} of the key file is not a number and 64 hexadecimal digits")]
    KeyFile(usize),
    /// The system gave no random bytes.
    #[error("no random bytes to be had from the system")]
    NoRandomness,
}

impl Keyring {
    /// A keyring with one new key.
    pub fn generate() -> Result<Self, Error> {
        let mut keyring = Self { keys: Vec::new() };
        keyring.add_key()?;
        Ok(keyring)
    }

    /// Adds a new key, with which is sealed from now on.
    pub fn add_key(&mut self) -> Result<(), Error> {
        let mut bytes = [0; KEY_LENGTH];
        SystemRandom::new().fill(&mut bytes).map_err(|_| Error::NoRandomness)?;
        let id = self.keys.last().map_or(1, |last| last.id + 1);
        self.keys.push(Key::new(id, bytes));
        Ok(())
    }

    /// Forgets every key but the last, once nothing is sealed with them any more.
    pub fn drop_old_keys(&mut self) {
        self.keys.drain(..self.keys.len() - 1);
    }

    /// Reads the text of a key file: a line for each key, with its number and its bytes.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
        let keys: Vec<_> =
            lines.map(|(at, line)| Key::parse(line).ok_or(Error::KeyFile(at + 1))).collect::<Result<_, _>>()?;
        let ascends = keys.is_sorted_by(|earlier, later| earlier.id < later.id);
        if keys.is_empty() || !ascends { Err(Error::KeyFile(1)) } else { Ok(Self { keys }) }
    }

    /// The text of the key file.
    pub fn to_text(&self) -> String {
        let lines = self.keys.iter().map(|key| format!("{} {}\n", key.id, hex(&key.bytes)));
        "# Opens the actions in the database beside it. Whoever has both has every secret.\n".to_owned()
            + &lines.collect::<String>()
    }

    /// The number of each key, and a value that tells it from any other without telling what it is.
    pub fn check_values(&self) -> impl Iterator<Item = (u32, String)> + '_ {
        self.keys.iter().map(|key| (key.id, key.check_value()))
    }

    /// The number of the key that seals.
    pub fn current_id(&self) -> u32 {
        self.current().id
    }

    /// Seals something of a job.
    pub fn seal(&self, job: Uid, plain: &[u8]) -> Result<Vec<u8>, Error> {
        let key = self.current();
        let mut nonce = [0; NONCE_LEN];
        SystemRandom::new().fill(&mut nonce).map_err(|_| Error::NoRandomness)?;
        let mut sealed = Vec::with_capacity(HEADER_LENGTH + plain.len() + AES_256_GCM.tag_len());
        sealed.push(VERSION);
        sealed.extend(key.id.to_be_bytes());
        sealed.extend(nonce);
        let mut body = plain.to_vec();
        let aad = Aad::from(job.bytes());
        key.cipher
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), aad, &mut body)
            .map_err(|_| Error::Broken)?;
        sealed.append(&mut body);
        Ok(sealed)
    }

    /// Opens what was sealed for that job.
    pub fn open(&self, job: Uid, sealed: &[u8]) -> Result<Vec<u8>, Error> {
        let (header, body) = sealed.split_at_checked(HEADER_LENGTH).ok_or(Error::Broken)?;
        let [version, id @ .., _, _, _, _, _, _, _, _, _, _, _, _] = header else { return Err(Error::Broken) };
        if *version != VERSION {
            return Err(Error::Broken);
        }
        let id = u32::from_be_bytes(id.try_into().map_err(|_| Error::Broken)?);
        let key = self.keys.iter().find(|key| key.id == id).ok_or(Error::UnknownKey(id))?;
        let nonce =
            Nonce::try_assume_unique_for_key(&header[HEADER_LENGTH - NONCE_LEN..]).map_err(|_| Error::Broken)?;
        let mut body = body.to_vec();
        let plain = key.cipher.open_in_place(nonce, Aad::from(job.bytes()), &mut body).map_err(|_| Error::Broken)?;
        let length = plain.len();
        body.truncate(length);
        Ok(body)
    }

    fn current(&self) -> &Key {
        self.keys.last().expect("a keyring has a key")
    }
}

/// The number of the key that something was sealed with.
pub fn key_id(sealed: &[u8]) -> Option<u32> {
    let id = sealed.get(1..5)?;
    Some(u32::from_be_bytes(id.try_into().ok()?))
}

impl Key {
    fn parse(line: &str) -> Option<Self> {
        let (id, digits) = line.trim().split_once(' ')?;
        Some(Self::new(id.parse().ok()?, from_hex(digits.trim())?))
    }

    fn new(id: u32, bytes: [u8; KEY_LENGTH]) -> Self {
        let cipher = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, &bytes).expect("32 bytes are a key"));
        Self { id, bytes, cipher }
    }

    fn check_value(&self) -> String {
        let salted = [b"punctual sealing key ".as_slice(), &self.bytes].concat();
        hex(&digest(&SHA256, &salted).as_ref()[..16])
    }
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |text, byte| text + &format!("{byte:02x}"))
}

/// The bytes that hexadecimal digits stand for, if they are as many.
pub(crate) fn from_hex<const N: usize>(digits: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    if digits.len() != 2 * N || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(bytes)
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Keyring({} keys)", self.keys.len())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Error, Keyring, Uid, key_id};

    const JOB: Uid = Uid::from_bytes([7; 16]);

    proptest! {
        #[test]
        fn what_was_sealed_opens_and_nothing_else_does(plain in any::<Vec<u8>>(), at in any::<prop::sample::Index>()) {
            let keyring = Keyring::generate().unwrap();
            let sealed = keyring.seal(JOB, &plain).unwrap();
            prop_assert_eq!(keyring.open(JOB, &sealed), Ok(plain));
            prop_assert_eq!(keyring.open(Uid::from_bytes([8; 16]), &sealed), Err(Error::Broken));
            let mut changed = sealed.clone();
            changed[at.index(sealed.len())] ^= 1;
            prop_assert!(keyring.open(JOB, &changed).is_err());
            prop_assert!(keyring.open(JOB, &sealed[..at.index(sealed.len())]).is_err());
        }

        #[test]
        fn any_key_file_is_read_or_refused(text in any::<String>()) {
            let _ = Keyring::parse(&text);
        }
    }

    #[test]
    fn the_same_is_never_sealed_the_same_way() {
        let keyring = Keyring::generate().unwrap();
        assert_ne!(keyring.seal(JOB, b"x").unwrap(), keyring.seal(JOB, b"x").unwrap());
    }

    #[test]
    fn an_old_key_opens_until_it_is_dropped() {
        let mut keyring = Keyring::generate().unwrap();
        let old = keyring.seal(JOB, b"old").unwrap();
        keyring.add_key().unwrap();
        let new = keyring.seal(JOB, b"new").unwrap();
        assert_eq!((key_id(&old), key_id(&new), keyring.current_id()), (Some(1), Some(2), 2));
        assert_eq!(keyring.open(JOB, &old).unwrap(), b"old");
        keyring.drop_old_keys();
        assert_eq!(keyring.open(JOB, &old), Err(Error::UnknownKey(1)));
        assert_eq!(keyring.open(JOB, &new).unwrap(), b"new");
    }

    #[test]
    fn a_keyring_is_read_back_from_its_file() {
        let mut keyring = Keyring::generate().unwrap();
        keyring.add_key().unwrap();
        let sealed = keyring.seal(JOB, b"x").unwrap();
        let read = Keyring::parse(&keyring.to_text()).unwrap();
        assert_eq!(read.open(JOB, &sealed).unwrap(), b"x");
        assert!(read.check_values().eq(keyring.check_values()));
        assert!(!keyring.check_values().eq(Keyring::generate().unwrap().check_values()));
        for (text, line) in [("", 1), ("1 ab", 1), ("# c\nx", 2), ("2 00\n", 1)] {
            assert_eq!(Keyring::parse(text).unwrap_err(), Error::KeyFile(line), "{text:?}");
        }
    }

    #[test]
    fn a_keyring_does_not_show_its_keys() {
        assert_eq!(format!("{:?}", Keyring::generate().unwrap()), "Keyring(1 keys)");
    }
}
