//! How far a long job is, and how it is ended.

/// How far a long job is, and the person's wish to end it. Cheap to ask between samples.
pub trait Progress: Sync {
    /// True once the job should end; it then returns [`base::error::Error::cancelled`].
    fn is_cancelled(&self) -> bool;
    /// `done` of `total` steps, and what is going on ("Building coalesced+padded").
    fn report(&self, done: usize, total: usize, text: &str);
}

/// For callers who neither watch nor cancel.
impl Progress for () {
    fn is_cancelled(&self) -> bool {
        false
    }

    fn report(&self, _done: usize, _total: usize, _text: &str) {}
}
