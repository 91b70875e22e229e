//! Builds that are killed while they replace files one by one.
