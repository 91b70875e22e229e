//! Annotation sidecars: loaded and checked as Harn does it, shown whole, held against their tapes.

mod loading;
mod report;
mod said;
