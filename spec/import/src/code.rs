//! The stable codes of the import's diagnostics, and a page on each for `turnstile explain`.

macro_rules! codes {
    ($($name:ident = $code:literal, $title:literal, $page:literal;)*) => {
        $(
            #[doc = concat!($code, ": ", $title, ".")]
            pub const $name: &str = $code;
        )*
        /// Every code, in order.
        pub const ALL: &[&str] = &[$($code),*];
        /// The page of a code: `D004`.
        #[must_use]
        pub fn explain(code: &str) -> Option<&'static str> {
            [$(($code, concat!($code, ": ", $title, "\n\n", $page, "\n"))),*]
                .into_iter()
                .find_map(|(known, page)| (known == code).then_some(page))
        }
    };
}

codes! {
    UNREADABLE = "D001", "unreadable document", "\
The file is empty, is no text, is larger than a document with tables can be, or
is no CSV. `turnstile import` reads Markdown (.md), AsciiDoc (.adoc), CSV (.csv,
.tsv) and, under any other name, tables drawn with `|`, `+` and `-`.";
    NO_TRANSITIONS = "D002", "no table of transitions", "\
No table of the document has the columns of one:

    | Source | Destination | Condition | Actions |
    | ------ | ----------- | --------- | ------- |
    | idle   | busy        | start     | work    |

A table with a column of states and one column for each event (or the reverse)
is one, too: its cells are `action / next state`. So is a list of lines
`idle -> busy: start`. Sentences are not read: write the rows first.";
    SEVERAL = "D003", "several tables of transitions", "\
A table file has one machine. Choose a table by the heading above it,
`--section HEADING`, or keep each in a document of its own. A grid of states and
events that is printed in several parts, with the same first column, is one.";
    LENGTH = "D004", "row with too few or too many cells", "\
The row has another number of cells than its table's header. An empty cell needs
its separators, too; a `|` inside a cell is written `\\|`.";
    UNREAD_COLUMN = "D005", "column that is not imported", "\
The header of the column is none of the words for source, destination, event,
condition, actions, description and held resources, so what stands in it is not
in the table file. Rename the column if it should be.";
    NO_NAME = "D006", "row without a source, a destination or an event", "\
An empty source repeats the one above, and an empty destination is the source. A
row whose event is left empty is taken by `start` if it leaves the initial state,
any other as soon as its state is entered. An arrow without words says neither.";
    INVALID_NAME = "D007", "name that cannot be imported", "\
A name has 200 bytes at most and is not a word of the table language (`any`,
`same`, `timer`, `request`, `note`). A state is described in one line.";
    UNKNOWN_CELL = "D008", "cell of --cells that is not one", "\
The file of `--cells` is a table with the columns State, Event and Because, in
any of the formats of documents. A line names states and events of the table
(separated by commas; `any` is every state that has no row and no line of its own
for the event), and says why the event cannot occur there. A cell with a row
cannot be listed.";
    UNREAD_CELL = "D009", "cell of a grid that is not understood", "\
A cell of a state × event grid is a state, `action / state`, `state / action`,
`-` (nothing is said), `ignore` (nothing changes) or `impossible`.";
    UNREAD_TABLE = "D011", "table that is not imported", "\
The table is neither one of transitions nor one of states, events or actions that
belongs to them, or a line looks like the row of a table and stands in none: in
Markdown and CSV a table ends at an empty line. Nothing of it is in the table
file. Join the lines, or give the table the columns that it should have.";
    GUESS = "D010", "guess", "\
The document does not say it in so many words; the message says what was
concluded from what. The table file has the guess as a comment: correct the
entry, and remove the comment.";
}
