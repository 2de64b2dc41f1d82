//! Command lines of a shell, as far as they call curl or wget.

mod command;
mod curl;
mod curl_data;
mod options;
mod script;
mod token;
mod wget;

pub(crate) use command::{Prefixes, of_words};
pub(crate) use curl::known as known_curl_options;
pub(crate) use script::{Environment, read};
