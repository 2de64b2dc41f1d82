//! What bounds the work of one import, with the reasons.

/// The largest file that is read: the largest template that Azure takes, and more than any crontab.
pub const FILE_BYTES_MAX: usize = 4 << 20;
/// Jobs of one file: more than any crontab or state has, and few enough to be read by somebody.
pub const JOBS_MAX: usize = 10_000;
/// Lines of a crontab inside of a line: `sh -c "sh -c …"`.
pub const SHELL_DEPTH_MAX: usize = 3;
/// Levels of YAML: more than manifests have.
pub const YAML_DEPTH_MAX: usize = 64;
/// The most characters of a job's name that is made of an address.
pub const NAME_CHARS_MAX: usize = 60;
