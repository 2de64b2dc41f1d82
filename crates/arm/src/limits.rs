//! What bounds the work of one evaluation, with the reasons.

/// The largest template that Azure takes; the same for a file of parameters.
pub const TEMPLATE_BYTES_MAX: usize = 4 << 20;
/// Copies of one resource, property or variable, and resources of a template, at most: Azure's own limit.
pub const COPIES_MAX: usize = 800;
/// Objects and lists inside each other: more than templates have, and few enough for a reader that calls itself.
pub const NESTING_MAX: usize = 64;
/// Calls inside each other, through variables and functions of the template as well.
pub const DEPTH_MAX: usize = 100;
/// Templates inside each other.
pub const DEPLOYMENTS_DEPTH_MAX: usize = 5;
/// Values that one evaluation makes, where sixteen characters count as one: some hundred times what the largest template
/// with the most copies needs, and about a second of work. Variables that double each other would otherwise fill the memory.
pub const WORK_MAX: usize = 3_000_000;
/// Characters that one function makes: more than a job takes.
pub const TEXT_CHARS_MAX: usize = 1 << 20;
/// Items of a list that `range` makes: Azure's own limit.
pub const RANGE_MAX: i64 = 10_000;
