//! Why an attempt failed: what history keeps of it, and the sentence in which people read it.

use crate::limits;

/// Why an attempt failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What kind of failure it is: failures of one class at one target have one cause.
    pub class: FailureClass,
    /// The status code of the answer, if there was one.
    pub code: Option<u16>,
    /// Who was called.
    pub host: String,
    /// What is known beyond that, in words; a whole sentence if there is no code.
    pub detail: String,
}

/// What kind of failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FailureClass {
    /// The name of the host has no address.
    Name,
    /// The host takes no connections, or closes them.
    Connection,
    /// There was no answer in time.
    Timeout,
    /// The host cannot be trusted, or TLS cannot be agreed upon.
    Trust,
    /// The status of the answer is not one of success.
    Status,
    /// The server may not call this address.
    Policy,
    /// The proxy does not let the call through.
    Proxy,
    /// The credentials of the job cannot be had or used.
    Credential,
    /// The answer is not what the job calls a success.
    SuccessRule,
    /// The answer is not what it should be, or there is nothing that can be sent.
    Protocol,
    /// The queue or broker refused the message.
    Target,
}

impl FailureClass {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Name,
        Self::Connection,
        Self::Timeout,
        Self::Trust,
        Self::Status,
        Self::Policy,
        Self::Proxy,
        Self::Credential,
        Self::SuccessRule,
        Self::Protocol,
        Self::Target,
    ];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Connection => "connection",
            Self::Timeout => "timeout",
            Self::Trust => "trust",
            Self::Status => "status",
            Self::Policy => "policy",
            Self::Proxy => "proxy",
            Self::Credential => "credential",
            Self::SuccessRule => "successRule",
            Self::Protocol => "protocol",
            Self::Target => "target",
        }
    }
}

impl Failure {
    /// A failure without an answer, in a whole sentence.
    pub fn new(class: FailureClass, host: &str, sentence: &str) -> Self {
        Self { class, code: None, host: cut(host), detail: cut(sentence) }
    }

    /// An answer that is no success. `detail` goes on after "… answered 503 Service Unavailable".
    pub fn answered(class: FailureClass, host: &str, code: u16, detail: &str) -> Self {
        Self { class, code: Some(code), host: cut(host), detail: cut(detail) }
    }

    /// Why the attempt failed, in a sentence.
    pub fn sentence(&self) -> String {
        let Self { class, code, host, detail } = self;
        match (code, &**detail) {
            (Some(code), "") => format!("{host} answered {}.", status_phrase(*code)),
            (Some(code), detail) => format!("{host} answered {}{detail}", status_phrase(*code)),
            (None, detail) if *class == FailureClass::Timeout => format!("{host}: {detail}"),
            (None, detail) => detail.to_owned(),
        }
    }
}

/// The beginning of a text.
fn cut(text: &str) -> String {
    let end = text.char_indices().nth(limits::FAILURE_DETAIL_CHARS_MAX).map_or(text.len(), |(end, _)| end);
    text[..end].to_owned()
}

/// A status code with its name, such as "503 Service Unavailable"; the number alone where it has none.
pub fn status_phrase(code: u16) -> String {
    match STATUS_NAMES.binary_search_by_key(&code, |(known, _)| *known) {
        Ok(at) => format!("{code} {}", STATUS_NAMES[at].1),
        Err(_) => code.to_string(),
    }
}

/// The registered names of status codes, in order.
const STATUS_NAMES: [(u16, &str); 60] = [
    (100, "Continue"),
    (101, "Switching Protocols"),
    (102, "Processing"),
    (103, "Early Hints"),
    (200, "OK"),
    (201, "Created"),
    (202, "Accepted"),
    (203, "Non-Authoritative Information"),
    (204, "No Content"),
    (205, "Reset Content"),
    (206, "Partial Content"),
    (207, "Multi-Status"),
    (208, "Already Reported"),
    (226, "IM Used"),
    (300, "Multiple Choices"),
    (301, "Moved Permanently"),
    (302, "Found"),
    (303, "See Other"),
    (304, "Not Modified"),
    (305, "Use Proxy"),
    (307, "Temporary Redirect"),
    (308, "Permanent Redirect"),
    (400, "Bad Request"),
    (401, "Unauthorized"),
    (402, "Payment Required"),
    (403, "Forbidden"),
    (404, "Not Found"),
    (405, "Method Not Allowed"),
    (406, "Not Acceptable"),
    (407, "Proxy Authentication Required"),
    (408, "Request Timeout"),
    (409, "Conflict"),
    (410, "Gone"),
    (411, "Length Required"),
    (412, "Precondition Failed"),
    (413, "Content Too Large"),
    (414, "URI Too Long"),
    (415, "Unsupported Media Type"),
    (416, "Range Not Satisfiable"),
    (417, "Expectation Failed"),
    (421, "Misdirected Request"),
    (422, "Unprocessable Content"),
    (423, "Locked"),
    (424, "Failed Dependency"),
    (425, "Too Early"),
    (426, "Upgrade Required"),
    (428, "Precondition Required"),
    (429, "Too Many Requests"),
    (431, "Request Header Fields Too Large"),
    (451, "Unavailable For Legal Reasons"),
    (500, "Internal Server Error"),
    (501, "Not Implemented"),
    (502, "Bad Gateway"),
    (503, "Service Unavailable"),
    (504, "Gateway Timeout"),
    (505, "HTTP Version Not Supported"),
    (506, "Variant Also Negotiates"),
    (507, "Insufficient Storage"),
    (508, "Loop Detected"),
    (511, "Network Authentication Required"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_reads_as_a_sentence() {
        let answered = |class, code, detail: &str| Failure::answered(class, "h", code, detail).sentence();
        assert_eq!(answered(FailureClass::Status, 503, ""), "h answered 503 Service Unavailable.");
        assert_eq!(answered(FailureClass::Status, 299, ""), "h answered 299.");
        let detail = ", but without the text that is success.";
        assert_eq!(answered(FailureClass::SuccessRule, 200, detail), format!("h answered 200 OK{detail}"));
        let failed = |class, sentence: &str| Failure::new(class, "h", sentence).sentence();
        assert_eq!(failed(FailureClass::Timeout, "No answer within 60 s."), "h: No answer within 60 s.");
        assert_eq!(failed(FailureClass::Trust, "The certificate is not for 'h'."), "The certificate is not for 'h'.");
    }

    #[test]
    fn a_long_detail_is_cut_between_characters() {
        let failure = Failure::new(FailureClass::Proxy, "h", &"é".repeat(1000));
        assert_eq!(failure.detail.chars().count(), limits::FAILURE_DETAIL_CHARS_MAX);
    }

    #[test]
    fn names_of_status_codes_are_in_order() {
        assert!(STATUS_NAMES.is_sorted_by_key(|(code, _)| *code));
    }
}
