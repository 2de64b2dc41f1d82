//! `[log]`: what the server tells about itself.

use punctual_model::Expected;

use super::reader::SettingsReader;

/// What the server tells about itself.
#[derive(Debug)]
pub(crate) struct Log {
    pub(crate) level: Level,
    pub(crate) format: Format,
    /// Whether every request is a line.
    pub(crate) access: bool,
    pub(crate) runs: Runs,
}

/// Which runs are lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runs {
    /// That a job begins to fail, gives up, and runs again.
    Failures,
    /// Every attempt as well.
    All,
    None,
}

/// How much is said; each one includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

/// How a line looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
}

impl Log {
    pub(super) fn read(reader: &SettingsReader<'_>) -> Option<Self> {
        let level = reader.parsed("log.level", Level::parse);
        let format = reader.parsed("log.format", Format::parse);
        let access = reader.boolean("log.access");
        let runs = reader.parsed("log.runs", Runs::parse);
        Some(Self { level: level?, format: format?, access: access?, runs: runs? })
    }
}

impl Level {
    fn parse(text: &str) -> Result<Self, Expected> {
        match text {
            "error" => Ok(Self::Error),
            "warn" => Ok(Self::Warn),
            "info" => Ok(Self::Info),
            "debug" => Ok(Self::Debug),
            "trace" => Ok(Self::Trace),
            _ => Err(Expected::new("\"error\", \"warn\", \"info\", \"debug\" or \"trace\"")),
        }
    }
}

impl Runs {
    fn parse(text: &str) -> Result<Self, Expected> {
        match text {
            "failures" => Ok(Self::Failures),
            "all" => Ok(Self::All),
            "none" => Ok(Self::None),
            _ => Err(Expected::new("\"failures\", \"all\" or \"none\"")),
        }
    }
}

impl Format {
    fn parse(text: &str) -> Result<Self, Expected> {
        match text {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err(Expected::new("\"text\" or \"json\"")),
        }
    }
}
