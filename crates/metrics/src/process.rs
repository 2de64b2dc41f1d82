//! What the system says about this process. Nothing where it has no `/proc`.

use std::fs;

/// What the system counts time in, for every program of Linux on every processor.
const CLOCK_TICKS_PER_SECOND: f64 = 100.0;

/// What the process uses.
#[derive(Debug)]
pub(crate) struct Process {
    /// Processor time, in seconds.
    pub(crate) cpu_seconds: f64,
    /// When the process was started, in seconds since 1970.
    pub(crate) started_seconds: f64,
    /// Memory that is not on disk.
    pub(crate) resident_bytes: u64,
    /// Files and connections.
    pub(crate) open_files: usize,
    /// Files and connections that may be open at once, unless there is no limit.
    pub(crate) open_files_max: Option<u64>,
}

impl Process {
    /// Reads what the process uses at the moment.
    pub(crate) fn read() -> Option<Self> {
        let stat = fs::read_to_string("/proc/self/stat").ok()?;
        let status = fs::read_to_string("/proc/self/status").ok()?;
        let limits = fs::read_to_string("/proc/self/limits").ok()?;
        let system = fs::read_to_string("/proc/stat").ok()?;
        // The name of the program, in parentheses, may hold spaces. What follows begins with the third field.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let seconds = |field: usize| Some(fields.get(field - 3)?.parse::<f64>().ok()? / CLOCK_TICKS_PER_SECOND);
        let number = |text: &str, key: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(key))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        };
        #[expect(clippy::cast_precision_loss, reason = "a number of seconds has fewer digits than a float")]
        let booted_seconds = number(&system, "btime ")? as f64;
        Some(Self {
            cpu_seconds: seconds(14)? + seconds(15)?,
            started_seconds: booted_seconds + seconds(22)?,
            resident_bytes: number(&status, "VmRSS:")? * 1024,
            // One of them is the directory that is being read.
            open_files: fs::read_dir("/proc/self/fd").ok()?.count().saturating_sub(1),
            open_files_max: number(&limits, "Max open files"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Process;

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_uses_something() {
        let process = Process::read().unwrap();
        assert!(process.resident_bytes > 1 << 20 && process.open_files >= 3, "{process:?}");
        assert!(process.started_seconds > 1e9 && process.cpu_seconds >= 0.0, "{process:?}");
        assert!(process.open_files_max.is_none_or(|max| max > 3), "{process:?}");
    }
}
