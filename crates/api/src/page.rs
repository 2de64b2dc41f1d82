//! Lists, page by page.
//!
//! `$top` limits the whole answer, and there is no link then, as the original had it; in lists that the original did not have
//! it is the size of a page. Without it a page holds 500, and
//! `nextLink` leads on (also if the answer would be too long): to what comes after the last name shown, so that nothing is shown twice or left out when something
//! is made or deleted in between.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use punctual_model::{Name, Violation};

use crate::fault::Fault;
use crate::limits;
use crate::operations::Window;
use crate::request::Request;
use crate::wire::Json;
use crate::wire::view::members::Members;

/// Resources on one page.
pub(crate) const SIZE: u32 = 500;

/// Resources read at once where not all of them may be shown: a page on which none may is not the end.
pub(crate) const LOOK: usize = SIZE as usize + 1;

/// What has to be encoded in a query. What need not be stays as it is, for readers.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'$').remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// What a client asks for of a list.
pub(crate) struct Page {
    /// How many to read: one more than is shown, to know whether there is more.
    pub(crate) limit: usize,
    pub(crate) skip: u32,
    /// The last names of the page before.
    pub(crate) after: Option<Vec<String>>,
    is_whole_answer: bool,
}

impl Page {
    /// Reads the parameters.
    pub(crate) fn of(request: &Request) -> Result<Self, Fault> {
        Self::of_size(request, SIZE)
    }

    /// Reads the parameters for a list with at most `size` entries on a page.
    pub(crate) fn of_size(request: &Request, size: u32) -> Result<Self, Fault> {
        let top = request.query.number("$top", 1, size)?;
        let skip = request.query.number("$skip", 0, u32::MAX)?.unwrap_or(0);
        let after = request.query.get("$skiptoken").map(parse_token).transpose()?;
        let shown = top.unwrap_or(size) as usize;
        let is_whole_answer = top.is_some();
        // Where a page goes on, what was to be skipped has been.
        let skip = if after.is_some() { 0 } else { skip };
        Ok(Self { limit: if is_whole_answer { shown } else { shown + 1 }, skip, after, is_whole_answer })
    }

    /// Reads the parameters for a list of our own, in which `$top` is the size of a page and `nextLink` leads on.
    pub(crate) fn of_own(request: &Request, size: u32) -> Result<Self, Fault> {
        let page = Self::of_size(request, size)?;
        Ok(Self { limit: page.shown() + 1, is_whole_answer: false, ..page })
    }

    /// How many are shown.
    pub(crate) const fn shown(&self) -> usize {
        if self.is_whole_answer { self.limit } else { self.limit - 1 }
    }

    /// Which part of the list is read.
    pub(crate) fn window(&self) -> Window {
        Window { skip: self.skip as usize, limit: self.limit }
    }

    /// What the page before ended with.
    pub(crate) fn after_text(&self) -> Result<Option<&str>, Fault> {
        match self.after.as_deref() {
            None => Ok(None),
            Some([name]) => Ok(Some(name)),
            Some(_) => Err(Self::wrong_token()),
        }
    }

    /// The number that the page before ended with, in a list of numbers.
    pub(crate) fn after_number(&self) -> Result<Option<i64>, Fault> {
        self.after_text()?.map(|number| number.parse().map_err(|_| Self::wrong_token())).transpose()
    }

    /// The name that the page before ended with, in a list of names.
    pub(crate) fn after_name(&self) -> Result<Option<Name>, Fault> {
        self.after_text()?.map(|name| Name::parse(name).map_err(|_| Self::wrong_token())).transpose()
    }

    /// The group and the name that the page before ended with, in a list of names in groups.
    pub(crate) fn after_names(&self) -> Result<Option<(Name, Name)>, Fault> {
        match self.after.as_deref() {
            None => Ok(None),
            Some([group, name]) => {
                let parse = |text: &String| Name::parse(text).map_err(|_| Self::wrong_token());
                Ok(Some((parse(group)?, parse(name)?)))
            }
            Some(_) => Err(Self::wrong_token()),
        }
    }

    /// The fault of a token that no link has held.
    pub(crate) fn wrong_token() -> Fault {
        Violation::sentence("$skiptoken", "this is no place in the list: follow nextLink as it was given").into()
    }

    /// The answer: what is shown of the items, and where to go on after the last of them.
    pub(crate) fn answer<T>(
        &self,
        request: &Request,
        public_url: &str,
        items: Vec<T>,
        write: impl Fn(&T) -> Json,
        last_names: impl Fn(&T) -> Vec<String>,
    ) -> Json {
        self.answer_until(request, public_url, (items, None), write, last_names)
    }

    /// The same where the search for items stopped at the place of these names, because little was found.
    pub(crate) fn answer_until<T>(
        &self,
        request: &Request,
        public_url: &str,
        (mut items, stopped_at): (Vec<T>, Option<Vec<String>>),
        write: impl Fn(&T) -> Json,
        last_names: impl Fn(&T) -> Vec<String>,
    ) -> Json {
        let has_more = !self.is_whole_answer && items.len() >= self.limit;
        if has_more {
            items.truncate(self.limit - 1);
        }
        let mut value = Vec::new();
        let mut bytes = 0;
        for item in &items {
            if bytes > limits::LIST_BYTES_MAX {
                break;
            }
            let json = write(item);
            bytes += json.weight();
            value.push(json);
        }
        let is_cut = value.len() < items.len();
        let last = value.len().checked_sub(1).map(|last| &items[last]).filter(|_| has_more || is_cut);
        let next = last.map(last_names).or(stopped_at);
        let next = next.map_or(Json::Null, |names| Json::Text(link(request, public_url, &names)));
        let value = Json::List(value);
        Members::new().add("value", value).add("nextLink", next).into_json()
    }
}

/// A list that is short enough for one page.
pub(crate) fn list(items: impl IntoIterator<Item = Json>) -> Json {
    Members::new().add("value", Json::List(items.into_iter().collect())).add("nextLink", Json::Null).into_json()
}

/// The link to what comes after these names.
pub(crate) fn link(request: &Request, public_url: &str, names: &[String]) -> String {
    let token = URL_SAFE_NO_PAD.encode(names.join("/"));
    let encode = |text: &str| utf8_percent_encode(text, ENCODED).to_string();
    let kept = request.query.without(&["$skip", "$skiptoken"]);
    let kept = kept.map(|(name, value)| format!("{}={}", encode(name), encode(value)));
    let parameters: Vec<_> = kept.chain([format!("$skiptoken={token}")]).collect();
    format!("{public_url}{}?{}", request.path, parameters.join("&"))
}

fn parse_token(token: &str) -> Result<Vec<String>, Fault> {
    let bytes = URL_SAFE_NO_PAD.decode(token).map_err(|_| Page::wrong_token())?;
    let text = String::from_utf8(bytes).map_err(|_| Page::wrong_token())?;
    Ok(text.split('/').map(ToOwned::to_owned).collect())
}
