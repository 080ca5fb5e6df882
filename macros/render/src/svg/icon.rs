//! The small signs that notes begin with.

use crate::diagram::NoteKind;

use super::path::Px;

/// A sign, ten pixels high, and its upper left corner.
#[derive(Clone, Copy)]
pub(crate) struct Icon {
    pub(crate) kind: NoteKind,
    pub(crate) x: Px,
    pub(crate) y: Px,
}

impl Icon {
    /// The sign as SVG.
    pub(crate) fn mark(&self) -> String {
        let Self { kind, x, y } = *self;
        let class = match kind {
            NoteKind::End => return final_state(x, y),
            NoteKind::Retry => " time",
            NoteKind::Stay => "",
        };
        let arc = "a4 4 0 1 1 -1.4 -3.2";
        let circle = format!(r#"<path class="icon{class}" d="M{} {}{arc}"/>"#, x + 9.0, y + 5.5);
        let tip = format!(r#"<path class="tip{class}" d="M{} {}v4.4h-4.4z"/>"#, x + 10.2, y + 0.2);
        circle + &tip
    }
}

/// A box in a box, as a final state is drawn.
fn final_state(x: Px, y: Px) -> String {
    let outer = format!(r#"<rect class="icon" x="{x}" y="{y}" width="11" height="9" rx="2"/>"#);
    let (x, y) = (x + 2.5, y + 2.5);
    outer + &format!(r#"<rect class="icon" x="{x}" y="{y}" width="6" height="4"/>"#)
}
