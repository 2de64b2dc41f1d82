//! Chance that can be repeated: all of a seed's life follows from its number.

/// Dice (SplitMix64).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from `low` to before `high`.
    pub(crate) fn number(&mut self, low: i64, high: i64) -> i64 {
        let width = u64::try_from(high - low).expect("a range");
        low + i64::try_from(self.roll() % width).expect("less than the width")
    }

    /// True once in so many times.
    pub(crate) fn once_in(&mut self, times: i64) -> bool {
        self.number(0, times) == 0
    }

    /// One of them.
    pub(crate) fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        let index = self.number(0, i64::try_from(items.len()).expect("a short list"));
        items[usize::try_from(index).expect("not negative")].clone()
    }

    /// Sixteen bytes.
    pub(crate) fn bytes(&mut self) -> [u8; 16] {
        let (high, low) = (self.roll(), self.roll());
        ((u128::from(high) << 64) | u128::from(low)).to_be_bytes()
    }
}
