//! Where a value stands in the input.

use std::rc::Rc;

use super::object::below;

/// A place in the input, such as `action.request` or `hours[2]`. It is written out only where something is said about it: most
/// values are as they should be.
#[derive(Clone)]
pub(super) struct Path<'a> {
    /// The object or the list that it is in.
    around: Rc<str>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Root,
    Member(&'a str),
    Item(usize),
}

impl<'a> Path<'a> {
    /// The place of the whole input.
    pub(super) fn root() -> Self {
        Self { around: "".into(), step: Step::Root }
    }

    /// The place of a member of the object there.
    pub(super) fn member(object: &Rc<str>, name: &'a str) -> Self {
        Self { around: Rc::clone(object), step: Step::Member(name) }
    }

    /// The place of an item of the list there.
    pub(super) fn item(list: &Rc<str>, at: usize) -> Self {
        Self { around: Rc::clone(list), step: Step::Item(at) }
    }
}

impl From<&Path<'_>> for String {
    fn from(path: &Path<'_>) -> Self {
        match path.step {
            Step::Root => Self::new(),
            Step::Member(name) => below(&path.around, name),
            Step::Item(at) => format!("{}[{at}]", path.around),
        }
    }
}
