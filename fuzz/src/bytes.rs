//! Decisions, read off the bytes of an input.

/// A cursor over the input. When the bytes are used up every further one is 0, so that each input means something.
#[derive(Clone, Debug)]
pub struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    /// All bytes of an input.
    pub fn new(input: &'a [u8]) -> Self {
        Self(input)
    }

    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    /// A number from 0 to below `limit`, of which there are at most 256.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::from(self.byte()) % limit
    }

    /// One of the choices.
    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// Yes or no, one to one.
    pub fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    /// Any number of eight bytes.
    pub fn number(&mut self) -> i64 {
        i64::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }

    /// From 0 to `most` items, each made by `item`.
    pub fn list<T>(&mut self, most: usize, mut item: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let length = self.below(most + 1);
        (0..length).map(|_| item(self)).collect()
    }

    /// Something or nothing.
    pub fn maybe<T>(&mut self, item: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.flag().then(|| item(self))
    }

    /// Everything that is left, if it is text.
    pub fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(std::mem::take(&mut self.0)).ok()
    }
}
