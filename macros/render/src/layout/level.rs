//! How high in a gap each arrow turns, so that arrows that turn in one gap do not touch.

/// Two levels of arrows that come nearer than this to each other sideways would touch.
const TOUCH: f64 = 8.0;

/// One arrow in one gap: it comes from above at `upper` and leaves below at `lower`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bend {
    pub(crate) arrow: usize,
    pub(crate) gap: usize,
    pub(crate) upper: f64,
    pub(crate) lower: f64,
    pub(crate) level: usize,
}

impl Bend {
    fn span(&self) -> (f64, f64) {
        (self.upper.min(self.lower), self.upper.max(self.lower))
    }

    pub(crate) fn is_straight(&self) -> bool {
        (self.upper - self.lower).abs() < 0.05
    }

    fn touches(&self, other: &Self) -> bool {
        let ((low, high), (other_low, other_high)) = (self.span(), other.span());
        low < other_high + TOUCH && other_low < high + TOUCH
    }
}

/// The turns of all arrows, from the rows that each passes and where.
pub(crate) fn turns(ways: &[Vec<(usize, f64)>]) -> Vec<Bend> {
    let mut turns = Vec::new();
    for (arrow, way) in ways.iter().enumerate() {
        for pair in way.windows(2) {
            let (upper, lower) =
                if pair[0].0 < pair[1].0 { (pair[0], pair[1]) } else { (pair[1], pair[0]) };
            turns.push(Bend { arrow, gap: upper.0, upper: upper.1, lower: lower.1, level: 0 });
        }
    }
    turns
}

/// Gives each turn a level of its gap and says how many levels each gap has.
///
/// Of two turns to the right that overlap, the right one turns first; to the left, the left one:
/// so they do not cross.
pub(crate) fn levels(turns: &mut [Bend], rows: usize) -> Vec<usize> {
    let mut count = vec![0; rows];
    turns.sort_by(|a, b| {
        let key = |turn: &Bend| if turn.lower > turn.upper { -turn.upper } else { turn.upper };
        a.gap.cmp(&b.gap).then(key(a).total_cmp(&key(b))).then(a.arrow.cmp(&b.arrow))
    });
    for place in 0..turns.len() {
        let (before, rest) = turns.split_at_mut(place);
        let turn = &mut rest[0];
        if turn.is_straight() {
            continue;
        }
        let near = || {
            let same = before.iter().filter(|other| other.gap == turn.gap && !other.is_straight());
            same.filter(|other| other.touches(turn))
        };
        let is_right = |turn: &Bend| turn.lower > turn.upper;
        let above =
            near().filter(|other| is_right(other) == is_right(turn)).map(|other| other.level + 1);
        let mut level = above.max().unwrap_or(0);
        while near().any(|other| other.level == level) {
            level += 1;
        }
        turn.level = level;
        count[turn.gap] = count[turn.gap].max(level + 1);
    }
    count
}
