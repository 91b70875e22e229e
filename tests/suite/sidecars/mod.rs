//! Annotation sidecars: loaded and checked as in Harn, shown in full, and compared with their tapes.

mod loading;
mod report;
mod said;
