//! Reads objects of the record into types: each key is declared once, with its field, type and need.

use std::borrow::Cow;

use crate::json::Node;
use crate::reader::{Number, Object, Presence, Reader};

/// A text of the document; `None` if missing, null or (reported) of another type.
pub type Text<'a> = Option<Cow<'a, str>>;

/// The keys of an object, each with the shape of its value.
pub(super) type Keys = &'static [(&'static str, &'static Shape)];

/// The recognized keys of a value.
pub(super) enum Shape {
    /// Any value; not checked for keys.
    Any,
    /// An object with these keys.
    Object(&'static [Keys]),
    /// An array of such values.
    List(&'static Shape),
}

/// An object of the record.
pub(super) trait Part<'a>: Sized {
    /// Its keys.
    const SHAPE: &'static Shape;

    fn read(r: &mut Reader<'a>, object: &Object<'a>) -> Self;
}

/// The value of a key.
pub(super) trait Field<'a>: Sized {
    /// The shape of the value.
    const SHAPE: &'static Shape = &Shape::Any;

    /// Reads the value.
    fn read(r: &mut Reader<'a>, parent: &Object<'a>, key: &str, need: Presence) -> Self;
}

impl<'a> Field<'a> for Text<'a> {
    fn read(r: &mut Reader<'a>, parent: &Object<'a>, key: &str, need: Presence) -> Self {
        r.string(parent, key, need)
    }
}

impl<'a> Field<'a> for Option<bool> {
    fn read(r: &mut Reader<'a>, parent: &Object<'a>, key: &str, need: Presence) -> Self {
        r.boolean(parent, key, need)
    }
}

impl<'a> Field<'a> for Option<Number<'a>> {
    fn read(r: &mut Reader<'a>, parent: &Object<'a>, key: &str, need: Presence) -> Self {
        r.number(parent, key, need)
    }
}

/// An object that is published as written.
impl<'a> Field<'a> for Option<Node<'a>> {
    fn read(r: &mut Reader<'a>, parent: &Object<'a>, key: &str, need: Presence) -> Self {
        r.child(parent, key, need).map(|object| object.node())
    }
}

impl<'a, T: Part<'a>> Field<'a> for Option<T> {
    const SHAPE: &'static Shape = T::SHAPE;

    fn read(r: &mut Reader<'a>, parent: &Object<'a>, key: &str, need: Presence) -> Self {
        let object = r.child(parent, key, need)?;
        Some(T::read(r, &object))
    }
}

impl<'a, T: Part<'a> + Default> Field<'a> for T {
    const SHAPE: &'static Shape = T::SHAPE;

    fn read(r: &mut Reader<'a>, parent: &Object<'a>, key: &str, need: Presence) -> Self {
        Option::<T>::read(r, parent, key, need).unwrap_or_default()
    }
}

impl<'a, T: Part<'a>> Field<'a> for Vec<T> {
    const SHAPE: &'static Shape = &Shape::List(T::SHAPE);

    fn read(r: &mut Reader<'a>, parent: &Object<'a>, key: &str, need: Presence) -> Self {
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

        impl<'a> Part<'a> for $name $(<$life>)? {
            const SHAPE: &'static Shape = objects!(@shape $kind
                &[$(($key, objects!(@inner $need $type)),)+] $($($(, $keys)?)+)?);

            fn read(r: &mut Reader<'a>, object: &Object<'a>) -> Self {
                Self {
                    $($field: objects!(@read r, object, $key, $need $(($by))?),)+
                    $($($computed: $read(r, object),)+)?
                }
            }
        }
    )+};
    (@shape closed $($keys:expr),+) => { &Shape::Object(&[$($keys),+]) };
    (@shape open $($keys:expr),+) => { &Shape::Any };
    (@inner by $type:ty) => { &Shape::Any };
    (@inner $need:ident $type:ty) => { <$type as Field>::SHAPE };
    (@read $r:ident, $object:ident, $key:literal, required) => { Field::read($r, $object, $key, Presence::Required) };
    (@read $r:ident, $object:ident, $key:literal, known) => { Field::read($r, $object, $key, Presence::Known) };
    (@read $r:ident, $object:ident, $key:literal, optional) => { Field::read($r, $object, $key, Presence::Optional) };
    (@read $r:ident, $object:ident, $key:literal, late) => { $r.late(|r| Field::read(r, $object, $key, Presence::Optional)) };
    (@read $r:ident, $object:ident, $key:literal, by($by:path)) => { $by($r, $object, $key) };
}

pub(super) use objects;
