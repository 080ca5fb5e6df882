//! Which numbers a derived visit sees, and in which order.

use std::collections::BTreeMap;

use turnstile_step::{IdClass, Order, Symbolic};

const KEYS: IdClass = IdClass { name: "key", order: Order::Rank };

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key(u64);

impl Symbolic for Key {
    fn visit_ids(&mut self, each: &mut dyn FnMut(IdClass, &mut u64)) {
        each(KEYS, &mut self.0);
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Symbolic)]
struct Pair<T> {
    first: T,
    second: (u8, Option<T>),
}

#[derive(Clone, Debug, PartialEq, Eq, Symbolic)]
enum Shape {
    Empty,
    One(Key),
    Both { count: u16, pair: Pair<Key> },
    Kept(#[symbolic(skip)] Foreign, Key),
    Named(#[symbolic(values)] BTreeMap<Foreign, Key>),
}

/// A type without `Symbolic`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Foreign(u64);

#[test]
fn a_derived_visit_sees_every_field_in_its_order() {
    let seen = |mut shape: Shape| {
        let mut seen = Vec::new();
        shape.visit_ids(&mut |class, number| {
            assert_eq!(class, KEYS);
            seen.push(*number);
            *number += 1;
        });
        (seen, shape)
    };
    let pair = |first, second| Pair { first: Key(first), second: (1, Some(Key(second))) };
    assert_eq!(seen(Shape::Empty), ([].into(), Shape::Empty));
    assert_eq!(seen(Shape::One(Key(3))), ([3].into(), Shape::One(Key(4))));
    let both = |first, second| Shape::Both { count: 7, pair: pair(first, second) };
    assert_eq!(seen(both(5, 2)), ([5, 2].into(), both(6, 3)));
}

#[test]
fn a_derived_visit_leaves_out_what_is_skipped_and_the_keys_of_values() {
    let replaced = |mut shape: Shape| {
        shape.visit_ids(&mut |_, number| *number += 1);
        shape
    };
    assert_eq!(replaced(Shape::Kept(Foreign(1), Key(1))), Shape::Kept(Foreign(1), Key(2)));
    let named =
        |first, second| Shape::Named([(Foreign(1), Key(first)), (Foreign(2), Key(second))].into());
    assert_eq!(replaced(named(5, 3)), named(6, 4));
}

#[test]
fn a_map_is_visited_in_its_order_and_keeps_its_entries() {
    let mut map: BTreeMap<Key, Option<Key>> = [(Key(9), None), (Key(4), Some(Key(30)))].into();
    let mut seen = Vec::new();
    map.visit_ids(&mut |_, number| {
        seen.push(*number);
        *number /= 4;
    });
    assert_eq!(seen, [4, 30, 9]);
    assert_eq!(map, [(Key(1), Some(Key(7))), (Key(2), None)].into());
}
