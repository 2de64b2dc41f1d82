//! Lists: order, pages, filters.

mod filters;
mod pages;
mod visibility;
