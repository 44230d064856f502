//! Prefix sums along a row: what any window along it sums to is the difference of two of them.

/// For each place between two pixels of a row what all values before it sum to, each channel by itself. A sum may wrap around; that of a window is right where it
/// fits 32 bits.
pub struct PrefixSums {
    channels: usize,
    /// What lies beyond each end of the row, in values: nothing, but windows may reach there.
    beyond: usize,
    /// Those before `beyond` and the first pixel are 0.
    sums: Vec<u32>,
    /// How many values of the row are in them.
    done: usize,
}

impl PrefixSums {
    /// For rows of `width_px` pixels, with windows that reach at most `beyond_px` beyond them.
    pub fn new(width_px: usize, beyond_px: usize, channels: usize) -> Self {
        let sums = vec![0; (width_px + 2 * beyond_px + 1) * channels];
        Self { channels, beyond: beyond_px * channels, sums, done: 0 }
    }

    /// From here on the sums become those of another row.
    #[inline(always)]
    pub fn begin_row(&mut self) {
        self.done = 0;
    }

    /// Takes the values that come next, of whole pixels.
    #[inline(always)]
    pub fn extend(&mut self, values: &[u16]) {
        match self.channels {
            1 => self.extend_by::<1>(values),
            _ => self.extend_by::<3>(values),
        }
    }

    /// Each sum waits for the one before it. Sums of four values by vectors first, which then wait for those four places before, were tried: a twelfth less time for
    /// RGB, a quarter for gray, for a second pass with its own halo.
    #[inline(always)]
    fn extend_by<const CHANNELS: usize>(&mut self, values: &[u16]) {
        let last = self.beyond + self.done;
        let mut before = self.sums.get(last..).and_then(|sums| sums.first_chunk()).copied().unwrap_or([0; CHANNELS]);
        let sums = self.sums.get_mut(last + CHANNELS..).unwrap_or_default().as_chunks_mut().0;
        for (sum, value) in sums.iter_mut().zip(values.as_chunks::<CHANNELS>().0) {
            for (before, &value) in before.iter_mut().zip(value) {
                *before = before.wrapping_add(u32::from(value));
            }
            *sum = before;
        }
        self.done += values.len();
    }

    /// After the last value of the row.
    #[inline(always)]
    pub fn end_row(&mut self) {
        let last = self.beyond + self.done;
        for place in (last + self.channels..).step_by(self.channels).take(self.beyond / self.channels) {
            self.sums.copy_within(last..last + self.channels, place);
        }
    }

    /// What windows of `side_px` pixels sum to, one value after the other, from the window on that begins so many values right of where the first one that
    /// reaches beyond the row does.
    #[inline(always)]
    pub fn windows(&self, start: usize, side_px: usize) -> impl Iterator<Item = u32> {
        let from = |start: usize| self.sums.get(start..).unwrap_or_default().iter();
        from(start).zip(from(start + side_px * self.channels)).map(|(before, end)| end.wrapping_sub(*before))
    }
}
