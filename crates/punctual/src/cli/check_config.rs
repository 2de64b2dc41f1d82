//! `punctual check-config`: what is set, and by whom?

use std::io::{self, BufWriter, Write};

use clap::Args;
use serde::Serialize;

use super::failure::Failure;
use super::output::Output;
use super::settings::SettingsArguments;
use crate::clock::SystemClock;
use crate::config::{Origin, Setting, Settings};
use crate::serve;

#[derive(Args)]
#[command(after_help = "\
Later ones win: the defaults, the file, the environment (PUNCTUAL_SECTION__KEY), flags. Secrets are shown as \"(set)\".
Exit status: 0 the configuration is right, 1 failed, 2 it is wrong (all that is wrong is on stderr).")]
pub(crate) struct Arguments {
    #[command(flatten)]
    settings: SettingsArguments,

    /// How to show it
    #[arg(long, value_enum, default_value_t = Output::Table)]
    output: Output,
}

/// Loads the configuration as the server does, looks at the files and keys that it names, and prints every setting with its origin.
pub(crate) fn run(arguments: &Arguments, clock: SystemClock) -> Result<(), Failure> {
    let (config, settings) = arguments.settings.load()?;
    let wrong = serve::check(&config, clock);
    if !wrong.is_empty() {
        return Err(Failure::Refused(wrong.iter().map(|error| format!("{error:#}")).collect()));
    }
    let entries = || settings.iter().map(Entry::of).collect::<Vec<_>>();
    let mut out = BufWriter::new(io::stdout().lock());
    match arguments.output {
        Output::Table => text(&settings, &mut out)?,
        Output::Json => {
            // In the order of their members, which people read as well.
            serde_json::to_writer_pretty(&mut out, &entries()).map_err(io::Error::from)?;
            writeln!(out)?;
        }
        Output::Yaml | Output::Name => {
            drop(out);
            let entries = serde_json::to_value(entries()).map_err(io::Error::from)?;
            arguments.output.print(&entries, |it| it["key"].as_str().unwrap_or_default().to_owned())?;
            return Ok(());
        }
    }
    Ok(out.flush()?)
}

fn text(settings: &Settings, out: &mut impl Write) -> io::Result<()> {
    for setting in settings.iter() {
        match &setting.origin {
            Origin::Default => writeln!(out, "{}  # default", setting.line())?,
            origin => {
                writeln!(out, "{}  # {}: {}", setting.line(), origin.layer(), origin.source().unwrap_or_default())?;
            }
        }
    }
    Ok(())
}

#[derive(Serialize)]
struct Entry<'a> {
    key: &'a str,
    value: toml::Value,
    origin: &'static str,
    /// The file and line, the variable or the flag.
    source: Option<String>,
}

impl<'a> Entry<'a> {
    fn of(setting: &'a Setting) -> Self {
        let origin = &setting.origin;
        Self { key: &setting.key, value: setting.value_shown(), origin: origin.layer(), source: origin.source() }
    }
}
