//! What only Azure knows.

/// A value that cannot be known here. Whatever is made of it is a hole, too.
#[derive(Clone, Debug, PartialEq)]
pub struct Hole {
    /// What is missing for it; never empty.
    pub parts: Vec<HolePart>,
    /// Whether it is the answer of Azure itself, whose members are holes of their own; not something made of it.
    pub(crate) is_answer: bool,
    /// The name of the resource that it belongs to, for a function that is asked about that resource.
    pub(crate) resource: Option<String>,
}

/// One thing that is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HolePart {
    /// The name by which it is filled in: `listKeys.mystorage.keys.0.value`.
    pub name: String,
    /// What it is, for people: "the answer of listKeys".
    pub what: String,
    /// The line that asks for it.
    pub line: u32,
}

impl Hole {
    /// A value that somebody else would answer, under a name.
    pub fn answer(name: String, what: String, line: u32) -> Self {
        Self { parts: vec![HolePart { name, what, line }], is_answer: true, resource: None }
    }

    /// What is made of several holes.
    pub fn made_of<'a>(holes: impl IntoIterator<Item = &'a Hole>) -> Option<Self> {
        let mut parts: Vec<HolePart> = Vec::new();
        for part in holes.into_iter().flat_map(|hole| &hole.parts) {
            if parts.iter().all(|known| known.name != part.name) {
                parts.push(part.clone());
            }
        }
        (!parts.is_empty()).then_some(Self { parts, is_answer: false, resource: None })
    }

    /// The member of an answer: a hole with a longer name.
    pub(crate) fn member(&self, step: &str) -> Self {
        let mut hole = self.clone();
        if let ([part], true) = (hole.parts.as_mut_slice(), self.is_answer) {
            part.name = format!("{}.{step}", part.name);
        }
        hole
    }
}
