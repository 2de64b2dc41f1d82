//! Finds many needles at once, in one pass over a text (Aho and Corasick).

/// A trie of needles in which every node knows where to go on when the text departs from its needle.
pub(super) struct Automaton {
    nodes: Vec<Node>,
    /// The children of the root: most bytes of a text are looked up here.
    first: Box<[u32; 256]>,
}

/// One byte of a needle, after the bytes of the nodes above.
struct Node {
    byte: u8,
    child: u32,
    sibling: u32,
    /// The node of the longest proper suffix that some needle begins with.
    fallback: u32,
    depth: u32,
    /// The length of the longest needle that ends here; 0 if none does.
    found: u32,
}

/// One needle.
pub(super) struct Needle<'a> {
    pub(super) bytes: &'a [u8],
    /// Whether these bytes are all of the needle. A mere beginning is found at the end of a text that was cut.
    pub(super) is_whole: bool,
}

pub(super) const ROOT: u32 = 0;
/// No node: the root is nobody's child or sibling.
const NONE: u32 = 0;

impl Automaton {
    /// Builds the automaton. The needles have to be in the order of their bytes: then the branch that a needle shares with
    /// others is always the latest one, and building takes time in proportion to the bytes of the needles.
    pub(super) fn new<'a>(needles: impl Iterator<Item = Needle<'a>>) -> Self {
        let root = Node { byte: 0, child: NONE, sibling: NONE, fallback: ROOT, depth: 0, found: 0 };
        let mut automaton = Self { nodes: vec![root], first: Box::new([ROOT; 256]) };
        needles.for_each(|needle| automaton.insert(&needle));
        automaton.link();
        automaton
    }

    /// The node for what was read so far and `byte`. Every node that is looked at counts as one unit of work.
    pub(super) fn next(&self, from: u32, byte: u8, work: &mut usize) -> u32 {
        let mut at = from;
        while at != ROOT {
            let mut child = self.node(at).child;
            while child != NONE {
                *work += 1;
                if self.node(child).byte == byte {
                    return child;
                }
                child = self.node(child).sibling;
            }
            *work += 1;
            at = self.node(at).fallback;
        }
        *work += 1;
        self.first[usize::from(byte)]
    }

    /// The length of the longest needle that ends at a node.
    pub(super) fn found_bytes(&self, node: u32) -> u32 {
        self.node(node).found
    }

    /// How much of a needle has been read at a node.
    pub(super) fn begun_bytes(&self, node: u32) -> u32 {
        self.node(node).depth
    }

    fn insert(&mut self, needle: &Needle<'_>) {
        let mut at = ROOT;
        for byte in needle.bytes {
            let latest = if at == ROOT { self.first[usize::from(*byte)] } else { self.node(at).child };
            let is_shared = latest != NONE && self.node(latest).byte == *byte;
            at = if is_shared { latest } else { self.add_child(at, *byte) };
        }
        if needle.is_whole {
            let node = &mut self.nodes[at as usize];
            node.found = node.depth;
        }
    }

    fn add_child(&mut self, parent: u32, byte: u8) -> u32 {
        let added = u32::try_from(self.nodes.len()).expect("needles are far shorter together");
        let Node { child: sibling, depth, .. } = *self.node(parent);
        let node = Node { byte, child: NONE, sibling, fallback: ROOT, depth: depth + 1, found: 0 };
        self.nodes.push(node);
        if parent == ROOT {
            self.first[usize::from(byte)] = added;
        }
        self.nodes[parent as usize].child = added;
        added
    }

    /// Says where each node goes on, from the shallow ones to the deep ones, each of which follows from shallower ones.
    fn link(&mut self) {
        let mut queue = vec![ROOT];
        let mut done = 0;
        while let Some(parent) = queue.get(done).copied() {
            done += 1;
            let mut child = self.node(parent).child;
            while child != NONE {
                let Node { byte, sibling, found, .. } = *self.node(child);
                let fallback = if parent == ROOT { ROOT } else { self.next(self.node(parent).fallback, byte, &mut 0) };
                let found = found.max(self.node(fallback).found);
                let node = &mut self.nodes[child as usize];
                (node.fallback, node.found) = (fallback, found);
                queue.push(child);
                child = sibling;
            }
        }
    }

    fn node(&self, at: u32) -> &Node {
        &self.nodes[at as usize]
    }
}
