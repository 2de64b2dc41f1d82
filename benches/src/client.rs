//! What clients of the API have in common, whether they wait on threads or in tasks.

/// Answers are shorter.
const ANSWER_BYTES_MAX: usize = 16 << 10;

/// A request about a job.
pub fn request(method: &str, job: &str, token: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "{method} /v1/jobs/{job} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\
         content-length: {length}\r\n\r\n{body}"
    )
}

/// Numbers in no order, each once in a while.
pub const fn scatter(number: usize) -> usize {
    number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20
}

/// One answer after the other, as they come in.
pub struct Answers {
    buffer: Vec<u8>,
    filled: usize,
}

impl Default for Answers {
    fn default() -> Self {
        Self { buffer: vec![0; ANSWER_BYTES_MAX], filled: 0 }
    }
}

impl Answers {
    /// Where the next bytes go.
    pub fn space(&mut self) -> &mut [u8] {
        &mut self.buffer[self.filled..]
    }

    /// So many came. Says whether an answer is complete; it must be a good one.
    pub fn are_complete(&mut self, read: usize) -> bool {
        assert!(read > 0, "the server has hung up");
        self.filled += read;
        let answer = &self.buffer[..self.filled];
        let Some(head) = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n") else { return false };
        if self.filled < head + 4 + content_length(&answer[..head]) {
            return false;
        }
        assert!(answer.starts_with(b"HTTP/1.1 20"), "{}", String::from_utf8_lossy(answer));
        self.filled = 0;
        true
    }
}

fn content_length(head: &[u8]) -> usize {
    let head = std::str::from_utf8(head).expect("headers are text");
    let line = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    line.and_then(|value| value.parse().ok()).expect("an answer with a length")
}
