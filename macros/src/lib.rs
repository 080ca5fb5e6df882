//! The proc-macro shell: it reads the named table and hands it to the emitter. It writes nothing.
