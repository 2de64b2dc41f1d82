//! What the disk can do.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

const MEASURED: Duration = Duration::from_secs(3);

/// About what a job is on disk.
const RECORD: [u8; 512] = [b'x'; 512];

/// Records a second, if as many as there are clients share each sync: every client waits until its own is on disk, so that
/// no more can be under way.
pub(crate) fn disk(directory: &Path, clients: usize) -> f64 {
    let path = directory.join("ceiling");
    let mut file = File::create(&path).expect("a file");
    let batch = RECORD.repeat(clients);
    let (mut syncs, started) = (0_u32, Instant::now());
    while started.elapsed() < MEASURED {
        file.write_all(&batch).expect("room on the disk");
        file.sync_data().expect("a disk that works");
        syncs += 1;
    }
    let _ = std::fs::remove_file(&path);
    let records = f64::from(syncs) * f64::from(u32::try_from(clients).expect("some clients"));
    records / started.elapsed().as_secs_f64()
}
