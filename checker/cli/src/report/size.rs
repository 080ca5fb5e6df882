//! A number of bytes, as a person reads it.

/// `45.1 MiB`.
#[must_use]
pub fn bytes(number: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "a size for a person needs three digits")]
    let number = number as f64;
    let units = ["bytes", "KiB", "MiB", "GiB"];
    let mut scaled = number;
    let mut unit = 0;
    while scaled >= 1024.0 && unit + 1 < units.len() {
        scaled /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{number} bytes") } else { format!("{scaled:.1} {}", units[unit]) }
}
