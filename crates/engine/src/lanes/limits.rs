//! How much the window holds.

/// How much the window holds.
#[derive(Clone, Copy, Debug)]
pub struct WindowLimits {
    /// Keys in all lanes.
    pub keys: usize,
    /// Keys in one lane.
    pub lane: usize,
    /// Keys in one read.
    pub page: usize,
    /// Rows of all lanes that are being read or ready.
    pub ready: usize,
}

impl Default for WindowLimits {
    fn default() -> Self {
        Self { keys: 200_000, lane: 2000, page: 1000, ready: 8192 }
    }
}
