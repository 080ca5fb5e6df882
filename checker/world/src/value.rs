//! Values of cores whose types the World does not know; equality, order and hash go by content.

use std::any::{Any, type_name};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use turnstile_step::{IdClass, Symbolic};

use turnstile_search::fingerprint::StableHasher;

/// What a World may keep in a state.
pub trait Content: Clone + Eq + Hash + fmt::Debug + Symbolic + Send + Sync + 'static {}

impl<T: Clone + Eq + Hash + fmt::Debug + Symbolic + Send + Sync + 'static> Content for T {}

/// A value with its type erased.
trait Erased: Any + fmt::Debug + Send + Sync {
    fn is(&self, other: &dyn Erased) -> bool;
    /// A hash of the content and its type's name, the same in every build.
    fn digest(&self) -> u64;
    fn cloned(&self) -> Arc<dyn Erased>;
    fn ids(&mut self, each: &mut dyn FnMut(IdClass, &mut u64));
    fn type_name(&self) -> &'static str;
}

impl<T: Content> Erased for T {
    fn is(&self, other: &dyn Erased) -> bool {
        (other as &dyn Any).downcast_ref::<T>().is_some_and(|other| self == other)
    }

    fn digest(&self) -> u64 {
        let mut hasher = StableHasher::default();
        type_name::<T>().hash(&mut hasher);
        self.hash(&mut hasher);
        hasher.finish()
    }

    fn cloned(&self) -> Arc<dyn Erased> {
        Arc::new(self.clone())
    }

    fn ids(&mut self, each: &mut dyn FnMut(IdClass, &mut u64)) {
        self.visit_ids(each);
    }

    fn type_name(&self) -> &'static str {
        type_name::<T>()
    }
}

/// A value of an erased type. Clones share the content until one is changed (copy on write).
#[derive(Clone)]
pub struct Value(Arc<dyn Erased>);

impl Value {
    /// Erases the type of a value.
    #[must_use]
    pub fn new<T: Content>(content: T) -> Self {
        Self(Arc::new(content))
    }

    /// The content, if it is of this type.
    #[must_use]
    pub fn get<T: Content>(&self) -> Option<&T> {
        (&*self.0 as &dyn Any).downcast_ref()
    }

    /// The content, for a caller that knows its type.
    ///
    /// # Panics
    ///
    /// It is of another type.
    #[must_use]
    #[track_caller]
    pub fn of<T: Content>(&self) -> &T {
        self.get().unwrap_or_else(|| other_type::<T>(self.0.type_name()))
    }

    /// The mutable content, for a caller that knows its type.
    ///
    /// # Panics
    ///
    /// It is of another type.
    #[must_use]
    #[track_caller]
    pub fn of_mut<T: Content>(&mut self) -> &mut T {
        let name = self.0.type_name();
        (own(&mut self.0) as &mut dyn Any).downcast_mut().unwrap_or_else(|| other_type::<T>(name))
    }
}

/// The content, copied if it is shared.
fn own(shared: &mut Arc<dyn Erased>) -> &mut dyn Erased {
    if Arc::strong_count(shared) > 1 {
        *shared = shared.cloned();
    }
    Arc::get_mut(shared).expect("it is not shared, and there are no weak references")
}

#[track_caller]
fn other_type<T>(is: &str) -> ! {
    panic!("the value is a {is}, and not a {}", type_name::<T>())
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.is(&*other.0)
    }
}

impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.digest());
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Symbolic for Value {
    fn visit_ids(&mut self, each: &mut dyn FnMut(IdClass, &mut u64)) {
        own(&mut self.0).ids(each);
    }
}

/// A [`Value`] that can be sorted: a message, a timer, a command. Values of different types are in
/// the order of their types' names.
#[derive(Clone)]
pub struct Ordered {
    value: Value,
    compare: fn(&Value, &Value) -> Ordering,
}

impl Ordered {
    /// Erases the type of a value.
    #[must_use]
    pub fn new<T: Content + Ord>(content: T) -> Self {
        Self { value: Value::new(content), compare: compare::<T> }
    }

    /// As [`Value::get`].
    #[must_use]
    pub fn get<T: Content>(&self) -> Option<&T> {
        self.value.get()
    }

    /// As [`Value::of`].
    ///
    /// # Panics
    ///
    /// It is of another type.
    #[must_use]
    #[track_caller]
    pub fn of<T: Content>(&self) -> &T {
        self.value.of()
    }

    /// As [`Value::of_mut`].
    ///
    /// # Panics
    ///
    /// It is of another type.
    #[must_use]
    #[track_caller]
    pub fn of_mut<T: Content>(&mut self) -> &mut T {
        self.value.of_mut()
    }
}

fn compare<T: Content + Ord>(one: &Value, other: &Value) -> Ordering {
    match (one.get::<T>(), other.get::<T>()) {
        (Some(one), Some(other)) => one.cmp(other),
        (_, _) => one.0.type_name().cmp(other.0.type_name()),
    }
}

impl PartialEq for Ordered {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.compare)(&self.value, &other.value)
    }
}

impl Hash for Ordered {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.value.hash(state);
    }
}

impl fmt::Debug for Ordered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

impl Symbolic for Ordered {
    fn visit_ids(&mut self, each: &mut dyn FnMut(IdClass, &mut u64)) {
        self.value.visit_ids(each);
    }
}
