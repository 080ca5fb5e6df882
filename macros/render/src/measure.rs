//! How wide a text is: the widths of Helvetica's letters, which Arial and Liberation Sans share.
//!
//! It never asks the machine for a font, so that a drawing is the same everywhere; boxes leave a
//! margin for a reader whose font is wider.

/// Widths of the printable ASCII characters from space to tilde, in thousandths of the size.
const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// What bold letters are wider, and what a fallback font may be.
const BOLD: f64 = 1.09;

/// Lines are made even to about so many pixels.
const STEP: f64 = 3.0;

/// A size and a weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Font {
    /// Size in pixels.
    pub(crate) size: f64,
    /// Whether it is bold.
    pub(crate) bold: bool,
}

impl Font {
    /// The width of a text in pixels.
    pub(crate) fn width(self, text: &str) -> f64 {
        let units: f64 = text.chars().map(units).sum();
        units / 1000.0 * self.size * if self.bold { BOLD } else { 1.0 }
    }

    /// Breaks a text at its spaces into as few lines of at most this width as its words allow,
    /// and those as even as they can be.
    pub(crate) fn wrap(self, text: &str, width: f64) -> Vec<String> {
        let mut lines = self.filled(text, width);
        let mut narrower = lines.iter().map(|line| self.width(line)).fold(0.0, f64::max);
        while lines.len() > 1 {
            narrower -= STEP;
            let even = self.filled(text, narrower);
            let is_wider = even.iter().any(|line| self.width(line) > narrower);
            if even.len() > lines.len() || is_wider {
                break;
            }
            lines = even;
        }
        lines
    }

    /// Breaks a text where a line is full.
    fn filled(self, text: &str, width: f64) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for word in text.split_whitespace() {
            match lines.last_mut() {
                Some(line) if self.width(line) + self.width(" ") + self.width(word) <= width => {
                    line.push(' ');
                    line.push_str(word);
                }
                _ => lines.push(word.to_owned()),
            }
        }
        lines
    }
}

fn units(letter: char) -> f64 {
    let index = u32::from(letter).wrapping_sub(u32::from(' '));
    let narrow = usize::try_from(index).ok().and_then(|index| WIDTHS.get(index));
    // What is not ASCII is taken for a wide letter, a full-width one from U+1100 on.
    narrow
        .map_or(if u32::from(letter) < 0x1100 { 650.0 } else { 1000.0 }, |units| f64::from(*units))
}
