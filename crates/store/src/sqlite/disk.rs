//! Room on the disk, and a reserve of it for what must go on when the disk is full.
//!
//! A full disk is not a broken one: what does not fit is taken back, and nothing is lost. But to end what has begun, and to
//! delete, takes room as well. So a file of the data directory does nothing but take room, until the disk is nearly full;
//! then it goes, and only those writes are made that end or remove something. When there is room for the file again, it is
//! made again, and everything goes on.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// The file in the data directory that takes room.
pub const RESERVE: &str = "reserve";

/// The largest reserve: the settlements of what is in flight, and some thousands of deletions.
const BYTES_MAX: u64 = 32 << 20;

/// The smallest, on a disk of which the largest would be too great a part.
const BYTES_MIN: u64 = 1 << 20;

/// What the reserve is of the whole disk, at most.
const ONE_IN: u64 = 64;

/// Bytes on a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Space {
    pub(super) free: u64,
    pub(super) total: u64,
}

/// Says how much room there is where that directory is; none where nobody can say.
pub(super) type Measure = Box<dyn Fn(&Path) -> Option<Space> + Send>;

/// The room on the disk of a data directory.
pub(super) struct Disk {
    directory: PathBuf,
    measure: Measure,
    reserve_bytes: u64,
    is_full: bool,
    /// Whether a write since the last look did not fit.
    has_overflowed: bool,
}

impl Disk {
    /// Looks at the disk of a directory, and makes the reserve if it is not there.
    pub(super) fn open(directory: &Path, measure: Measure) -> Self {
        let total = measure(directory).map_or(u64::MAX, |space| space.total);
        let reserve_bytes = (total / ONE_IN).clamp(BYTES_MIN, BYTES_MAX);
        let (directory, has_overflowed) = (directory.to_owned(), false);
        let mut disk = Self { directory, measure, reserve_bytes, is_full: true, has_overflowed };
        let is_there = fs::metadata(disk.reserve()).is_ok_and(|metadata| metadata.len() == reserve_bytes);
        disk.is_full = !is_there && disk.make_reserve().is_err();
        if disk.is_full {
            disk.warn();
        }
        disk
    }

    /// Whether only what ends or removes something may be written.
    pub(super) const fn is_full(&self) -> bool {
        self.is_full
    }

    /// Whether a write since the last look did not fit.
    pub(super) const fn has_overflowed(&self) -> bool {
        self.has_overflowed
    }

    /// Looks how much room there is: the disk may have become full, or not be any more.
    pub(super) fn look(&mut self) {
        self.has_overflowed = false;
        let free = (self.measure)(&self.directory).map(|space| space.free);
        if !self.is_full && free.is_some_and(|free| free < self.reserve_bytes / 2) {
            self.release_reserve();
        } else if self.is_full && free.is_none_or(|free| free >= 2 * self.reserve_bytes) && self.make_reserve().is_ok()
        {
            self.is_full = false;
            tracing::info!("there is room on the disk again: all writes are accepted, and jobs are started");
        }
    }

    /// Takes note that something did not fit.
    pub(super) fn record_overflow(&mut self) {
        self.has_overflowed = true;
        if !self.is_full {
            self.release_reserve();
        }
    }

    fn release_reserve(&mut self) {
        self.is_full = true;
        let _ = fs::remove_file(self.reserve());
        self.warn();
    }

    fn warn(&self) {
        tracing::error!(
            "the disk of {} is full: nothing is started and only deletions are accepted until there are {} MB of room",
            self.directory.display(),
            (2 * self.reserve_bytes) >> 20
        );
    }

    /// Makes the file, whole or not at all.
    fn make_reserve(&self) -> io::Result<()> {
        let made = File::create(self.reserve()).and_then(|file| allocate(&file, self.reserve_bytes));
        if made.is_err() {
            let _ = fs::remove_file(self.reserve());
        }
        made
    }

    fn reserve(&self) -> PathBuf {
        self.directory.join(RESERVE)
    }
}

/// How much room there is for those who are not the superuser.
pub(super) fn measure(directory: &Path) -> Option<Space> {
    let found = rustix::fs::statvfs(directory).ok()?;
    Some(Space { free: found.f_bavail * found.f_frsize, total: found.f_blocks * found.f_frsize })
}

/// Has a file take so many bytes of the disk. A file that is only as long takes none.
#[cfg(target_os = "linux")]
fn allocate(file: &File, bytes: u64) -> io::Result<()> {
    match rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), 0, bytes) {
        Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => fill(file, bytes),
        allocated => Ok(allocated?),
    }
}

#[cfg(not(target_os = "linux"))]
fn allocate(file: &File, bytes: u64) -> io::Result<()> {
    fill(file, bytes)
}

/// Fills a file with bytes that a file system cannot make smaller.
fn fill(mut file: &File, bytes: u64) -> io::Result<()> {
    let mut mixed: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut block = Vec::with_capacity(1 << 20);
    for _ in 0..bytes >> 20 {
        block.clear();
        while block.len() < 1 << 20 {
            mixed ^= mixed << 13;
            mixed ^= mixed >> 7;
            mixed ^= mixed << 17;
            block.extend_from_slice(&mixed.to_le_bytes());
        }
        io::Write::write_all(&mut file, &block)?;
    }
    file.set_len(bytes)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use tempfile::TempDir;

    use super::*;

    const MB: u64 = 1 << 20;

    #[test]
    fn the_reserve_goes_when_the_disk_is_nearly_full_and_comes_back() {
        let directory = TempDir::new().unwrap();
        let free = Arc::new(AtomicU64::new(100 * MB));
        let shown = Arc::clone(&free);
        let measure = move |_: &Path| Some(Space { free: shown.load(Ordering::Relaxed), total: 256 * MB });
        let mut disk = Disk::open(directory.path(), Box::new(measure));
        let reserve = directory.path().join(RESERVE);
        let mut states = Vec::new();
        for megabytes in [100, 3, 1, 5, 7, 8, 3, 1] {
            free.store(megabytes * MB, Ordering::Relaxed);
            disk.look();
            assert_eq!(disk.is_full(), !reserve.exists());
            states.push(disk.is_full());
        }
        assert_eq!(states, [false, false, true, true, true, false, false, true]);
        assert!(!disk.has_overflowed());
        disk.record_overflow();
        assert!(disk.is_full() && disk.has_overflowed());
    }

    #[test]
    fn the_reserve_takes_as_much_of_the_disk_as_it_says() {
        use std::os::unix::fs::MetadataExt;
        let directory = TempDir::new().unwrap();
        drop(Disk::open(directory.path(), Box::new(|_: &Path| Some(Space { free: 0, total: 64 * 3 * MB }))));
        let reserve = fs::metadata(directory.path().join(RESERVE)).unwrap();
        assert_eq!(reserve.len(), 3 * MB);
        assert!(reserve.blocks() * 512 >= 3 * MB);
        let file = File::create(directory.path().join("filled")).unwrap();
        fill(&file, 2 * MB).unwrap();
        assert_eq!(file.metadata().unwrap().len(), 2 * MB);
    }
}
