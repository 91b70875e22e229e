//! Values shared by several schemas: times, addresses, digests, counts and amounts.
//!
//! Each type here is only a shape, which a field names with `#[schemars(with = "…")]`. If a rule of this crate is wider than a
//! `format` of JSON Schema, a pattern matches the rule exactly.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

/// The version of all our own documents.
pub const SCHEMA_VERSION: u32 = 1;

/// The addresses accepted by [`crate::url::HttpUrl`], as an ECMA 262 regular expression.
pub const HTTP_ADDRESS: &str =
    r#"[Hh][Tt][Tt][Pp][Ss]?://[A-Za-z0-9_.-]+(:[0-9]*)?([/?#][^\s"<>\\`]*)?"#;

/// Defines a type for a shape.
macro_rules! shape {
    ($(#[$doc:meta])* $name:ident = $schema:tt) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub enum $name {}

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn schema_id() -> Cow<'static, str> {
                concat!(module_path!(), "::", stringify!($name)).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    };
}

shape!(
    /// The version of every document of our own.
    Version = { "type": "integer", "const": SCHEMA_VERSION }
);

shape!(
    /// A time of RFC 3339 with date, time and offset; a space may replace the `T`, as the RFC allows.
    Time = {
        "type": "string",
        "pattern": r"^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$",
        "examples": ["2026-03-01T10:00:00Z"],
    }
);

shape!(
    /// A day.
    Day = { "type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$", "examples": ["2026-03-01"] }
);

shape!(
    /// An absolute `http` or `https` address.
    Address = { "type": "string", "pattern": format!("^{HTTP_ADDRESS}$") }
);

shape!(
    /// The address of a page: absolute when the site's own is known, else relative to its root.
    PageAddress = { "type": "string", "pattern": r"^[^\s]+$" }
);

shape!(
    /// A BLAKE3-256 digest in lower-case hexadecimal.
    Blake3 = { "type": "string", "pattern": "^[0-9a-f]{64}$" }
);

shape!(
    /// A name: a string that holds more than white space.
    Name = { "type": "string", "pattern": r"\S|\ufeff" }
);

shape!(
    /// A whole number that is not negative.
    Count = { "type": "integer", "minimum": 0 }
);

shape!(
    /// A line or a column.
    Position = { "type": "integer", "minimum": 1 }
);

shape!(
    /// A number that is not negative.
    Amount = { "type": "number", "minimum": 0 }
);

shape!(
    /// A share of one.
    Fraction = { "type": "number", "minimum": 0, "maximum": 1 }
);

shape!(
    /// Any JSON value.
    Any = {}
);

shape!(
    /// An object that is passed on as an input wrote it.
    AsWritten = { "type": "object" }
);

/// A value that should be a `T`, but may be anything: a document with another value is accepted and shown without it.
#[derive(Debug, Clone, Copy)]
pub struct Lenient<T>(std::marker::PhantomData<T>);

impl<T: JsonSchema> JsonSchema for Lenient<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Lenient_{}", T::schema_name()).into()
    }

    fn schema_id() -> Cow<'static, str> {
        format!("{}::Lenient<{}>", module_path!(), T::schema_id()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [generator.subschema_for::<T>(), true] })
    }
}

/// Lets the placeholder variant of a tagged enum match every word that no other variant has.
pub fn allow_unknown_tags(schema: &mut Schema, tag: &str, placeholder: &str) {
    let Some(Value::Array(variants)) = schema.get_mut("oneOf") else {
        return;
    };
    let word = format!("/properties/{tag}/const");
    let known: Vec<_> = variants
        .iter()
        .filter_map(|variant| variant.pointer(&word).cloned())
        .filter(|word| word != placeholder)
        .collect();
    for variant in variants {
        if variant
            .pointer(&word)
            .is_some_and(|word| word == placeholder)
            && let Some(shape) = variant.pointer_mut(&format!("/properties/{tag}"))
        {
            *shape = json!({ "type": "string", "not": { "enum": known } });
        }
    }
}
