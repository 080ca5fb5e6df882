//! How the inputs and effects of members read, in scenarios and counterexamples.
