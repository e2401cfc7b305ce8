//! Where in the input a value lies: a list on the stack that becomes a pointer only when something is said about it.

use super::pointer::push_given;

/// The place of a value in what the caller sent.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'a> {
    /// The whole input.
    Top,
    /// The value of a key, in the caller's spelling.
    Key(&'a Place<'a>, &'a str),
    /// An item of an array.
    Item(&'a Place<'a>, usize),
    /// The one item of an array that the caller did not write.
    Single(&'a Place<'a>),
}

impl Place<'_> {
    /// The RFC 6901 pointer.
    pub(crate) fn pointer(&self) -> String {
        let mut pointer = String::new();
        self.write(&mut pointer);
        pointer
    }

    /// The pointer of a key below this place.
    pub(crate) fn pointer_to(&self, key: &str) -> String {
        let mut pointer = self.pointer();
        push_given(&mut pointer, key);
        pointer
    }

    /// The level of a value at this place; the whole input is the first.
    pub(crate) fn level(&self) -> usize {
        match self {
            Place::Top => 1,
            Place::Key(parent, _) | Place::Item(parent, _) | Place::Single(parent) => 1 + parent.level(),
        }
    }

    fn write(&self, pointer: &mut String) {
        match self {
            Place::Top => {}
            Place::Key(parent, key) => {
                parent.write(pointer);
                push_given(pointer, key);
            }
            Place::Item(parent, index) => {
                parent.write(pointer);
                pointer.push('/');
                pointer.push_str(&index.to_string());
            }
            Place::Single(parent) => parent.write(pointer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_is_that_of_what_the_caller_wrote() {
        let key = Place::Key(&Place::Top, "a/b");
        let single = Place::Single(&key);
        let item = Place::Item(&single, 3);
        assert_eq!((Place::Top.pointer(), item.pointer()), (String::new(), "/a~1b/3".to_owned()));
        assert_eq!(single.pointer_to("~"), "/a~1b/~0");
        assert_eq!((Place::Top.level(), item.level()), (1, 4));
    }
}
