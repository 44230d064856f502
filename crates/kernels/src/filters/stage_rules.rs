//! When a stage applies, whatever the filter; a filter's own rules come on top.

use super::Rule;
use model::{Channels, Setting, StageId, values};

/// The rules of a stage.
#[must_use]
pub const fn of_stage(id: StageId) -> &'static [Rule] {
    match id {
        StageId::Vectorize => {
            const { &[Rule::needs_one_of(&[(StageId::Padded, 1), (StageId::Image, values::IMAGE_FOUR_PIXELS)], "wide-load-leaves-row")] }
        }
        StageId::Merged => const { &[Rule::needs(StageId::Vectorize, "scalar-has-no-vectors")] },
        StageId::Short16 => {
            const {
                &[
                    Rule::needs(StageId::Vectorize, "scalar-short-becomes-int"),
                    Rule::needs_sums(
                        |sums| i16::try_from(*sums.start()).is_ok() && i16::try_from(*sums.end()).is_ok(),
                        "sums-exceed-16-bits",
                    ),
                ]
            }
        }
        StageId::Image => {
            const {
                &[
                    Rule::needs_ability(|setting| setting.abilities.has_images, "device-lacks-images"),
                    Rule::value_needs_ability(values::IMAGE_ONE_PIXEL, takes_one_channel_images, "device-lacks-gray-images"),
                    Rule::value_needs_ability(values::IMAGE_LINEAR, takes_one_channel_images, "device-lacks-gray-images"),
                    Rule::excludes(StageId::Merged, "texels-do-not-overlap"),
                ]
            }
        }
        StageId::ImageBetween => {
            const {
                &[
                    Rule::needs_ability(|setting| setting.abilities.has_images, "device-lacks-images"),
                    Rule::needs_ability(takes_one_channel_images, "device-lacks-gray-images"),
                    Rule::needs_one_of(&[(StageId::Separable, 1), (StageId::TwoSteps, 1)], "one-pass-hands-nothing-over"),
                ]
            }
        }
        StageId::Walk => const { &[Rule::needs(StageId::Separable, "window-slides-one-way")] },
        StageId::Running => const { &[Rule::needs(StageId::Separable, "sum-runs-one-way")] },
        StageId::Float => {
            const { &[Rule::value_needs_ability(values::FLOAT_FMA, |setting| setting.abilities.has_fma, "device-lacks-fma")] }
        }
        StageId::Half => const { &[Rule::needs_ability(|setting| setting.abilities.has_half, "device-lacks-half")] },
        StageId::Lanes => {
            const {
                &[
                    Rule::needs(StageId::Access, "lanes-are-parts-of-words"),
                    Rule::needs_sums(|sums| sums.end() - sums.start() <= 0xffff, "sums-exceed-16-bits"),
                    Rule::value_needs_ability(values::LANES_HALF, |setting| setting.abilities.has_half_lanes, "device-lacks-half-lanes"),
                ]
            }
        }
        StageId::Dot => {
            const {
                &[
                    Rule::needs(StageId::Access, "dot-products-take-words"),
                    Rule::needs_ability(|setting| setting.abilities.has_dot, "device-lacks-dot-product"),
                ]
            }
        }
        StageId::Reduce => {
            const {
                &[Rule::value_needs_ability(
                    values::REDUCE_SUB_GROUPS,
                    |setting| setting.abilities.has_sub_groups,
                    "device-lacks-sub-groups",
                )]
            }
        }
        StageId::Fill => {
            const { &[Rule::needs(StageId::Local, "no-tile-to-fill"), Rule::needs(StageId::Padded, "wide-access-leaves-row")] }
        }
        StageId::Index => {
            const { &[Rule::excludes(StageId::Mul24, "multiplies-24-bits"), Rule::excludes(StageId::Image, "texels-have-no-offsets")] }
        }
        StageId::Access => const { &[Rule::needs(StageId::Padded, "wide-access-leaves-row")] },
        _ => &[],
    }
}

/// Texels of gray pictures have one channel, which drivers need not offer; those of RGB pictures have four.
const fn takes_one_channel_images(setting: Setting) -> bool {
    setting.abilities.has_gray_images || !matches!(setting.channels, Channels::Gray)
}
