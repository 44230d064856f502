//! What guides claim of division, native functions and relaxed math. None of them publishes figures for it.

use crate::filters::{Claim, Figures, Ladder, Says, Step};
use crate::image::{BorderMode, Channels};

/// A step without a published figure, with the driver's or the person's local work size.
const fn step(label: &'static str, variant: &'static str, why: &'static str, claim: Option<Claim>) -> Step {
    Step { label, variant, local: None, why, published: &[], claim }
}

const fn faster_than(against: usize) -> Claim {
    Claim { against, says: Says::Faster }
}

pub(super) const MALEOON_MASK: Ladder = Ladder {
    name: "maleoon-mask",
    label: "Maleoon division to mask",
    device: "Maleoon",
    source: "Maleoon notes: division and remainder take long instruction sequences; by a power of two a remainder is a mask. Claims without \
             figures. Weights come from tables here, so that index arithmetic is a large part of the work",
    channels: Channels::Gray,
    border: BorderMode::Replicate,
    sizes: &[],
    figures: Figures::SpeedUp,
    steps: &[
        step(
            "Division and remainder",
            "coalesced+table",
            "One index walks the window; division and remainder by its side, which the compiler does not know, give row and column",
            None,
        ),
        step(
            "Shift and mask",
            "coalesced+table+shift",
            "Rows of the window are lengthened to a power of two: row and column by shift and mask, for 56 places walked instead of 49 at radius 3",
            Some(faster_than(0)),
        ),
        step(
            "Side compiled in",
            "coalesced+specialized+table",
            "A side that the compiler knows: it multiplies and shifts instead of dividing, and no place is walked in vain",
            Some(faster_than(0)),
        ),
        step(
            "Rows written out",
            "coalesced+specialized+unroll+table",
            "Nothing is left to divide: within a row of the window each column is a number in the code",
            None,
        ),
    ],
};

pub(super) const NATIVE_MATH: Ladder = Ladder {
    name: "native-math",
    label: "Native and fast math",
    device: "Adreno and Maleoon",
    source: "Adreno guide: performance of standard functions low, with -cl-fast-relaxed-math medium, of native functions high (8.2, 8.3, table 8-2), \
             no division and nothing computed that the host can (8.10), unrolling (8.4), half at nearly twice the rate (7.2.4); Maleoon notes: \
             native functions, fma. Claims without figures",
    channels: Channels::Rgb,
    border: BorderMode::Reflect101,
    sizes: &[],
    figures: Figures::SpeedUp,
    steps: &[
        step("Standard functions", "coalesced", "exp and two divisions for each neighbor, with the precision that OpenCL demands", None),
        step(
            "Relaxed math",
            "coalesced+relaxed",
            "The same source, built with -cl-fast-relaxed-math: the compiler chooses faster functions and reorders (Adreno 8.2)",
            Some(faster_than(0)),
        ),
        step(
            "Native functions",
            "coalesced+native",
            "native_exp, native_divide and native_recip: what the hardware has, with the precision it has (Adreno 8.3, Maleoon)",
            Some(faster_than(1)),
        ),
        step("fma", "coalesced+float=fma", "Multiplication and addition of the sums as one instruction (Maleoon)", Some(faster_than(0))),
        step("Half precision", "coalesced+half", "Weights in 16 bits, sums still in 32 (Adreno 7.2.4)", Some(faster_than(0))),
        step(
            "Lookup table",
            "coalesced+table",
            "The host computes every weight once: two reads a neighbor instead of exp and divisions (Adreno 8.10)",
            Some(faster_than(0)),
        ),
        step(
            "Native, unrolled",
            "coalesced+specialized+unroll+native",
            "Radius compiled in and rows of the window written out (Adreno 8.4)",
            Some(faster_than(2)),
        ),
        step(
            "Native, unrolled, padded",
            "coalesced+padded+specialized+unroll+native",
            "No neighbor is tested for the border (Adreno 8.6)",
            None,
        ),
    ],
};
