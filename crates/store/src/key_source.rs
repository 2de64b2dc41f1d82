//! Where sealing keys are kept, and how a file of them is changed.
//!
//! A new key is in the key file before anything is sealed with it, and an old one stays there until nothing is: a crash at
//! any point leaves a file that opens everything.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::seal::Keyring;

/// Where the keys are kept.
#[derive(Clone, Debug)]
pub enum KeySource {
    /// In this file.
    File(PathBuf),
    /// Outside: in the configuration. They cannot be changed from here.
    Outside,
}

impl KeySource {
    /// A keyring with one key more, which is kept when this returns. Where the keys are kept outside, the new one has to be
    /// there already.
    pub(crate) fn add_to(&self, keyring: &Keyring) -> Result<Keyring, Error> {
        let mut with_new = Keyring::parse(&keyring.to_text()).map_err(Error::unavailable)?;
        match self {
            Self::File(file) => {
                with_new.add_key().map_err(Error::unavailable)?;
                save(file, &with_new)?;
            }
            Self::Outside if keyring.check_values().count() > 1 => {}
            Self::Outside => {
                let text = "add a line with a higher number there, start again, and rotate then";
                return Err(Error::unavailable(format!("the keys are in the setting secrets.key; {text}")));
            }
        }
        Ok(with_new)
    }

    /// Keeps the keys, where that is up to us.
    pub(crate) fn save(&self, keyring: &Keyring) -> Result<(), Error> {
        match self {
            Self::File(file) => save(file, keyring),
            Self::Outside => Ok(()),
        }
    }
}

/// The keys in a key file; none if it is not there.
pub(crate) fn read(file: &Path) -> Result<Option<Keyring>, Error> {
    let unreadable =
        |error: &dyn std::fmt::Display| Error::corrupt(format!("the key file {}: {error}", file.display()));
    match fs::read_to_string(file) {
        Ok(text) => Keyring::parse(&text).map(Some).map_err(|error| unreadable(&error)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(&error)),
    }
}

/// Removes a key file with which nothing was sealed.
pub(crate) fn forget(file: &Path) -> Result<(), Error> {
    fs::remove_file(file).map_err(|error| Error::unavailable(format!("cannot remove {}: {error}", file.display())))
}

/// Writes the file so that either the old one or the new one is there, whole, whatever happens.
pub(crate) fn save(file: &Path, keyring: &Keyring) -> Result<(), Error> {
    let failed = |error| Error::unavailable(format!("cannot write {}: {error}", file.display()));
    let beside = file.with_extension("key.new");
    let write = || {
        let _ = fs::remove_file(&beside);
        let mut opened = File::options().create_new(true).write(true).mode(0o600).open(&beside)?;
        opened.write_all(keyring.to_text().as_bytes())?;
        opened.sync_all()?;
        fs::rename(&beside, file)?;
        File::open(file.parent().unwrap_or(Path::new(".")))?.sync_all()
    };
    write().map_err(failed)
}
