//! How wide a text is at most: of each letter the widest among the fonts that a picture names,
//! which are Helvetica (whose widths Arial and Liberation Sans share) and DejaVu Sans.
//!
//! It never asks the machine for a font, so that a drawing is the same everywhere, and a text
//! stays in its box whichever of the fonts a reader has.

/// Widths of the printable ASCII characters from space to tilde, in thousandths of the size.
const REGULAR: [u16; 95] = [
    318, 401, 460, 838, 637, 951, 780, 275, 391, 391, 500, 838, 318, 361, 318, 337, 637, 637, 637,
    637, 637, 637, 637, 637, 637, 637, 337, 337, 838, 838, 838, 557, 1016, 685, 687, 723, 771, 667,
    611, 778, 752, 295, 500, 667, 558, 863, 749, 788, 667, 788, 723, 667, 611, 732, 685, 989, 686,
    667, 686, 391, 337, 391, 838, 557, 500, 613, 635, 550, 635, 616, 353, 635, 634, 278, 278, 580,
    278, 975, 634, 612, 635, 635, 412, 521, 393, 634, 592, 818, 592, 592, 525, 637, 337, 637, 838,
];

/// The same in bold.
const BOLD: [u16; 95] = [
    349, 457, 521, 838, 696, 1002, 873, 307, 458, 458, 523, 838, 380, 416, 380, 366, 696, 696, 696,
    696, 696, 696, 696, 696, 696, 696, 400, 400, 838, 838, 838, 611, 1000, 774, 763, 734, 831, 684,
    684, 821, 837, 373, 557, 775, 638, 996, 837, 851, 733, 851, 771, 721, 683, 813, 774, 1104, 771,
    725, 726, 458, 366, 458, 838, 557, 500, 675, 716, 593, 716, 679, 436, 716, 712, 343, 343, 666,
    343, 1042, 712, 688, 716, 716, 494, 596, 479, 712, 652, 924, 646, 652, 583, 712, 366, 712, 838,
];

/// What is not ASCII is taken for as wide as the widest letters of those fonts are, but for a few.
const OTHER: [f64; 2] = [1100.0, 1250.0];

/// Lines are made even to about so many pixels.
const STEP: f64 = 3.0;

/// A size and a weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Font {
    /// Size in pixels.
    pub size: f64,
    /// Whether it is bold.
    pub bold: bool,
}

impl Font {
    /// The width of a text in pixels.
    #[must_use]
    pub fn width(self, text: &str) -> f64 {
        let units: f64 = text.chars().map(|letter| units(letter, self.bold)).sum();
        units / 1000.0 * self.size
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

fn units(letter: char, bold: bool) -> f64 {
    let (ascii, other) = if bold { (&BOLD, OTHER[1]) } else { (&REGULAR, OTHER[0]) };
    let index = u32::from(letter).wrapping_sub(u32::from(' '));
    let known = usize::try_from(index).ok().and_then(|index| ascii.get(index));
    known.map_or(other, |units| f64::from(*units))
}

#[cfg(test)]
mod tests {
    use super::Font;

    /// Widths that a browser measured, of the same text in two fonts that a picture names.
    #[track_caller]
    fn fits(size: f64, bold: bool, text: &str, widths: [f64; 2]) {
        let width = Font { size, bold }.width(text);
        for real in widths {
            assert!(width >= real, "{text}: {width} for {real}");
        }
        // And no box is much too large either.
        assert!(width < widths[0].max(widths[1]) * 1.05, "{text}: {width} for {widths:?}");
    }

    #[test]
    fn a_text_is_as_wide_as_in_the_widest_font() {
        fits(15.0, true, "retrying register", [115.0, 140.8]);
        fits(12.0, true, "response (4xx except 404)", [149.4, 179.7]);
        fits(11.0, false, "create renew timer, send PATCH (status=released)", [247.5, 278.8]);
        fits(10.0, true, "claim-03", [40.0, 48.0]);
        fits(26.0, true, "byte-range-lock, as amended", [358.3, 428.4]);
    }
}
