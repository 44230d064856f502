//! When a stage applies, whatever the filter; a filter's own rules come on top.

use super::Rule;
use crate::model::{StageId, values};

/// The rules of a stage.
#[must_use]
pub const fn of_stage(id: StageId) -> &'static [Rule] {
    match id {
        StageId::Vectorize => {
            const {
                &[Rule::needs_one_of(
                    &[(StageId::Padded, 1), (StageId::Image, values::IMAGE_FOUR_PIXELS)],
                    "a wide load would run past the row's end",
                )]
            }
        }
        StageId::Merged => const { &[Rule::needs(StageId::Vectorize, "a scalar work-item has no vectors to put together")] },
        StageId::Short16 => {
            const {
                &[
                    Rule::needs(StageId::Vectorize, "a scalar short is promoted to int"),
                    Rule::needs_sums(
                        |sums| i16::try_from(*sums.start()).is_ok() && i16::try_from(*sums.end()).is_ok(),
                        "The sums of this filter do not fit 16 bits",
                    ),
                ]
            }
        }
        StageId::Image => {
            const {
                &[
                    Rule::needs_ability(|abilities| abilities.has_images, "This device has no image objects"),
                    Rule::excludes(StageId::Merged, "texels do not overlap"),
                ]
            }
        }
        StageId::ImageBetween => {
            const {
                &[
                    Rule::needs_ability(|abilities| abilities.has_images, "This device has no image objects"),
                    Rule::needs_one_of(&[(StageId::Separable, 1), (StageId::TwoSteps, 1)], "a single pass hands nothing over"),
                ]
            }
        }
        StageId::Walk => const { &[Rule::needs(StageId::Separable, "a window can slide in only one direction at a time")] },
        StageId::Running => const { &[Rule::needs(StageId::Separable, "a sum can run in only one direction at a time")] },
        StageId::Half => {
            const { &[Rule::needs_ability(|abilities| abilities.has_half, "This device has no half precision (cl_khr_fp16)")] }
        }
        StageId::Access => const { &[Rule::needs(StageId::Padded, "a wide access would run past the row's end")] },
        _ => &[],
    }
}
