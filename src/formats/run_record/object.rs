//! Reads objects of the record into types: each key is declared once, with its field, type and need.

use std::borrow::Cow;

use crate::json::Node;
use crate::reader::{DocumentReader, JsonObject, NumberLiteral, Presence};

/// A text of the document; `None` if missing, null or (reported) of another type.
pub type Text<'a> = Option<Cow<'a, str>>;

/// The keys of an object, each with the shape of its value.
pub(super) type ShapedKeys = &'static [(&'static str, &'static RecordShape)];

/// The recognized keys of a value.
pub(super) enum RecordShape {
    /// Any value; not checked for keys.
    Any,
    /// An object with these keys.
    Object(&'static [ShapedKeys]),
    /// An array of such values.
    List(&'static RecordShape),
}

/// An object of the record.
pub(super) trait RecordObject<'a>: Sized {
    /// Its keys.
    const SHAPE: &'static RecordShape;

    fn read(r: &mut DocumentReader<'a>, object: &JsonObject<'a>) -> Self;
}

/// The value of a key.
pub(super) trait RecordField<'a>: Sized {
    /// The shape of the value.
    const SHAPE: &'static RecordShape = &RecordShape::Any;

    /// Reads the value.
    fn read(r: &mut DocumentReader<'a>, parent: &JsonObject<'a>, key: &str, need: Presence)
    -> Self;
}

impl<'a> RecordField<'a> for Text<'a> {
    fn read(
        r: &mut DocumentReader<'a>,
        parent: &JsonObject<'a>,
        key: &str,
        need: Presence,
    ) -> Self {
        r.string(parent, key, need)
    }
}

impl<'a> RecordField<'a> for Option<bool> {
    fn read(
        r: &mut DocumentReader<'a>,
        parent: &JsonObject<'a>,
        key: &str,
        need: Presence,
    ) -> Self {
        r.boolean(parent, key, need)
    }
}

impl<'a> RecordField<'a> for Option<NumberLiteral<'a>> {
    fn read(
        r: &mut DocumentReader<'a>,
        parent: &JsonObject<'a>,
        key: &str,
        need: Presence,
    ) -> Self {
        r.number(parent, key, need)
    }
}

/// An object that is published as written.
impl<'a> RecordField<'a> for Option<Node<'a>> {
    fn read(
        r: &mut DocumentReader<'a>,
        parent: &JsonObject<'a>,
        key: &str,
        need: Presence,
    ) -> Self {
        r.child(parent, key, need).map(|object| object.node())
    }
}

impl<'a, T: RecordObject<'a>> RecordField<'a> for Option<T> {
    const SHAPE: &'static RecordShape = T::SHAPE;

    fn read(
        r: &mut DocumentReader<'a>,
        parent: &JsonObject<'a>,
        key: &str,
        need: Presence,
    ) -> Self {
        let object = r.child(parent, key, need)?;
        Some(T::read(r, &object))
    }
}

impl<'a, T: RecordObject<'a> + Default> RecordField<'a> for T {
    const SHAPE: &'static RecordShape = T::SHAPE;

    fn read(
        r: &mut DocumentReader<'a>,
        parent: &JsonObject<'a>,
        key: &str,
        need: Presence,
    ) -> Self {
        Option::<T>::read(r, parent, key, need).unwrap_or_default()
    }
}

impl<'a, T: RecordObject<'a>> RecordField<'a> for Vec<T> {
    const SHAPE: &'static RecordShape = &RecordShape::List(T::SHAPE);

    fn read(
        r: &mut DocumentReader<'a>,
        parent: &JsonObject<'a>,
        key: &str,
        need: Presence,
    ) -> Self {
        r.items(parent, key, need)
            .into_iter()
            .filter_map(|(item, pointer)| {
                let object = r.object(item, pointer)?;
                Some(T::read(r, &object))
            })
            .collect()
    }
}

/// Defines objects of the record. A key is `required`, `known` (required, except in the record of an imported run), `optional`,
/// `late` (optional and of a later version: if it is invalid, the run is shown without it), or read `by` a function. `computed`
/// fields are read from the whole object by a function, and may use further keys. Keys of an `open` object are not checked.
/// `with` names the type for the schema if it differs from the field's; `default` does so and makes the key optional in the
/// schema.
macro_rules! objects {
    ($(
        $(#[$attr:meta])*
        $kind:ident $name:ident $(<$life:lifetime>)? {
            $(
                $(#[$key_attr:meta])*
                $key:literal $need:ident $(($by:path))? $(with $with:literal)? $(default $lenient:literal)?
                    => $field:ident: $type:ty;
            )+
        } $(+ computed {
            $($(#[$computed_attr:meta])* $computed:ident: $computed_type:ty = $read:path $(, $keys:path)?;)+
        })?
    )+) => {$(
        #[derive(Debug, JsonSchema)]
        $(#[$attr])*
        pub struct $name $(<$life>)? {
            $(
                $(#[$key_attr])*
                #[schemars(rename = $key)]
                $(#[schemars(with = $with)])?
                $(#[schemars(default, with = $lenient)])?
                pub $field: $type,
            )+
            $($($(#[$computed_attr])* #[schemars(skip)] pub $computed: $computed_type,)+)?
        }

        impl<'a> RecordObject<'a> for $name $(<$life>)? {
            const SHAPE: &'static RecordShape = objects!(@shape $kind
                &[$(($key, objects!(@inner $need $type)),)+] $($($(, $keys)?)+)?);

            fn read(r: &mut DocumentReader<'a>, object: &JsonObject<'a>) -> Self {
                Self {
                    $($field: objects!(@read r, object, $key, $need $(($by))?),)+
                    $($($computed: $read(r, object),)+)?
                }
            }
        }
    )+};
    (@shape closed $($keys:expr),+) => { &RecordShape::Object(&[$($keys),+]) };
    (@shape open $($keys:expr),+) => { &RecordShape::Any };
    (@inner by $type:ty) => { &RecordShape::Any };
    (@inner $need:ident $type:ty) => { <$type as RecordField>::SHAPE };
    (@read $r:ident, $object:ident, $key:literal, required) => { RecordField::read($r, $object, $key, Presence::Required) };
    (@read $r:ident, $object:ident, $key:literal, known) => { RecordField::read($r, $object, $key, Presence::Known) };
    (@read $r:ident, $object:ident, $key:literal, optional) => { RecordField::read($r, $object, $key, Presence::Optional) };
    (@read $r:ident, $object:ident, $key:literal, late) => { $r.late(|r| RecordField::read(r, $object, $key, Presence::Optional)) };
    (@read $r:ident, $object:ident, $key:literal, by($by:path)) => { $by($r, $object, $key) };
}

pub(super) use objects;
