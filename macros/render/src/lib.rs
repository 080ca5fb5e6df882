//! Writes a table for people: Markdown, SVG, a matrix.
