//! Objects in a file without a name, which is gone when the command ends.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::process;

use anyhow::{Context, anyhow};

use super::object::Object;
use crate::cli::failure::Failure;

/// How many names are tried for one that nobody has.
const TRIES_MAX: u32 = 1000;

/// Objects, in the order in which they were added.
pub(super) struct Spool {
    file: BufWriter<File>,
    count: usize,
}

impl Spool {
    pub(super) fn new() -> Result<Self, Failure> {
        let (directory, process) = (std::env::temp_dir(), process::id());
        for number in 0..TRIES_MAX {
            let path = directory.join(format!("punctual-apply-{process}-{number}"));
            match File::options().read(true).write(true).create_new(true).mode(0o600).open(&path) {
                Ok(file) => {
                    // The file stays as long as it is open, and nobody else finds it.
                    fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
                    return Ok(Self { file: BufWriter::new(file), count: 0 });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(anyhow::Error::new(error).context(format!("{}", path.display())).into()),
            }
        }
        Err(anyhow!("no name is free in {}", directory.display()).into())
    }

    pub(super) fn add(&mut self, object: &Object) -> Result<(), Failure> {
        let failed = "cannot keep what was read in a temporary file";
        serde_json::to_writer(&mut self.file, object).context(failed)?;
        self.file.write_all(b"\n").context(failed)?;
        self.count += 1;
        Ok(())
    }

    pub(super) const fn count(&self) -> usize {
        self.count
    }

    /// Hands over all objects with their numbers, one by one.
    pub(super) fn each(&mut self, mut each: impl FnMut(usize, Object) -> Result<(), Failure>) -> Result<(), Failure> {
        let failed = "cannot read what was kept in a temporary file";
        self.file.flush().context(failed)?;
        let mut file = self.file.get_ref();
        file.seek(SeekFrom::Start(0)).context(failed)?;
        for (number, line) in BufReader::new(file).lines().enumerate() {
            each(number, serde_json::from_str(&line.context(failed)?).context(failed)?)?;
        }
        Ok(())
    }
}
