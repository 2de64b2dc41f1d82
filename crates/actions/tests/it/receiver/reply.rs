//! What a receiver does with a request.

/// The steps of an answer, one after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reply {
    pub(crate) steps: Vec<Step>,
}

/// One thing a receiver does.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Sends these bytes at once.
    Write(Vec<u8>),
    /// Sends these bytes so many times.
    Repeat(Vec<u8>, usize),
    /// Sends them one by one.
    ByteByByte(Vec<u8>),
    /// Does nothing any more.
    Hang,
    /// Closes the connection.
    Close,
}

impl Reply {
    /// 200 with a body.
    pub(crate) fn ok(body: &str) -> Self {
        Self::with("200 OK", &[], body.as_bytes())
    }

    /// A status, as on the first line, with headers and a body of the right length.
    pub(crate) fn with(status: &str, headers: &[(&str, &str)], body: &[u8]) -> Self {
        let mut bytes = head(status, headers);
        bytes.extend(format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes());
        bytes.extend_from_slice(body);
        Self::raw(bytes)
    }

    /// A status and headers, and nothing about a body.
    pub(crate) fn head(status: &str, headers: &[(&str, &str)]) -> Self {
        let mut bytes = head(status, headers);
        bytes.extend_from_slice(b"\r\n");
        Self::raw(bytes)
    }

    /// A redirect.
    pub(crate) fn redirect(location: &str) -> Self {
        Self::with("302 Found", &[("Location", location)], b"")
    }

    /// Any bytes.
    pub(crate) fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self { steps: vec![Step::Write(bytes.into())] }
    }

    /// Nothing at all.
    pub(crate) fn hang() -> Self {
        Self { steps: vec![Step::Hang] }
    }

    /// An end without an answer.
    pub(crate) fn close() -> Self {
        Self { steps: vec![Step::Close] }
    }

    /// And then another.
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.steps.extend(other.steps);
        self
    }

    /// And then that.
    pub(crate) fn then(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }
}

fn head(status: &str, headers: &[(&str, &str)]) -> Vec<u8> {
    let mut text = format!("HTTP/1.1 {status}\r\n");
    for (name, value) in headers {
        text.extend([name, ": ", value, "\r\n"]);
    }
    text.into_bytes()
}
