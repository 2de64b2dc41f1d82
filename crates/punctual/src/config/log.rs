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
        Some(Self { level: level?, format: format?, access: access? })
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

impl Format {
    fn parse(text: &str) -> Result<Self, Expected> {
        match text {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err(Expected::new("\"text\" or \"json\"")),
        }
    }
}
