//! Rows of parameters as tests write them. Whoever uses them says in `KEYS` and `DOC` what a row has where nothing is said.

/// A row of a name, a text and a type.
macro_rules! param {
    ($name:expr, $doc:expr, $type:ty) => {
        param_with(answers!($type), $name, $doc, None, &KEYS)
    };
}

/// Sets a field of the row, or a key beside it.
macro_rules! key {
    ($param:ident $keys:ident name $value:expr) => {
        $param.name = $value;
    };
    ($param:ident $keys:ident doc $value:expr) => {
        $param.doc = $value;
    };
    ($param:ident $keys:ident schema $value:expr) => {
        $param.schema = $value;
    };
    ($param:ident $keys:ident default $value:expr) => {
        $param.default = $value;
    };
    ($param:ident $keys:ident required $value:expr) => {
        $param.required = $value;
    };
    ($param:ident $keys:ident $key:ident $value:expr) => {
        $keys.$key = $value;
    };
}

/// The row of a parameter `x`: its type, then the fields and keys that are otherwise.
macro_rules! x {
    ($type:ty $(, $key:ident: $value:expr)*) => {{
        #[allow(unused_mut)]
        let mut keys = KEYS;
        #[allow(unused_mut)]
        let mut param = param!("x", DOC, $type);
        $(key!(param keys $key $value);)*
        param.keys = Box::leak(Box::new(keys));
        param
    }};
}
