//! The store in memory, which simulations lead the engine with: it promises what the others do.

mod suite {
    conformance!(crate::place::Memory::new());
}
