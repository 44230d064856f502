//! Legal local work sizes. Pure functions over plain data, for the window's sliders and for the check before a launch alike.
//!
//! `local_bytes` says how much local memory the kernel's arguments take at a local size; a tile grows with it. It must not shrink when
//! a side grows. Where `limits` is `None` (nothing is built yet), the device's limits alone count.

use super::{DeviceInfo, KernelLimits, LocalSize};
use base::error::Result;
use base::texts::{filled, misused, text};
use model::local_label;
use std::fmt::Display;

/// Local memory of the arguments at a local size, in bytes.
pub type LocalBytes<'a, const N: usize = 2> = dyn Fn([usize; N]) -> usize + 'a;

/// That `requested` may be launched; the size to pass on, `None` for NULL.
///
/// # Errors
/// A zero, too many work-items in a dimension or in all, or too much local memory: both numbers, and the nearest sizes that fit.
pub fn check_local(
    info: &DeviceInfo,
    limits: Option<&KernelLimits>,
    requested: LocalSize,
    local_bytes: &LocalBytes,
) -> Result<Option<[usize; 2]>> {
    let LocalSize::Explicit(local) = requested else { return Ok(None) };
    check_sides(info, limits, local, local_bytes).map(|()| Some(local))
}

/// As [`check_local`], of a work-group of one to three sides.
///
/// # Errors
/// As [`check_local`].
pub(super) fn check_sides<const N: usize>(
    info: &DeviceInfo,
    limits: Option<&KernelLimits>,
    local: [usize; N],
    local_bytes: &LocalBytes<N>,
) -> Result<()> {
    let rules = Rules { info, limits, local_bytes };
    let Some(broken) = rules.broken(local) else { return Ok(()) };
    let remedy = match rules.nearest(local).as_slice() {
        [] => text("errors.local.nothing-fits").to_owned(),
        [one] => filled("errors.local.nearest-one", &[("size", &local_label(*one))]),
        several => {
            let sizes = several.iter().map(|&size| local_label(size)).collect::<Vec<_>>().join(", ");
            filled("errors.local.nearest", &[("sizes", &sizes)])
        }
    };
    Err(misused("errors.local.refused", &[("size", &local_label(local)), ("why", &broken), ("remedy", &remedy)]))
}

/// The largest legal x beside this `y`; 0 where there is none.
#[must_use]
pub fn legal_max_x(info: &DeviceInfo, limits: Option<&KernelLimits>, y: usize, local_bytes: &LocalBytes) -> usize {
    Rules { info, limits, local_bytes }.largest(|x| [x, y])
}

/// The largest legal y beside this `x`; 0 where there is none.
#[must_use]
pub fn legal_max_y(info: &DeviceInfo, limits: Option<&KernelLimits>, x: usize, local_bytes: &LocalBytes) -> usize {
    Rules { info, limits, local_bytes }.largest(|y| [x, y])
}

/// The legal size that is nearest to `wanted`, which itself is returned where it is legal; `None` where no size is.
#[must_use]
pub fn largest_local_fitting(
    info: &DeviceInfo,
    limits: Option<&KernelLimits>,
    wanted: [usize; 2],
    local_bytes: &LocalBytes,
) -> Option<[usize; 2]> {
    let rules = Rules { info, limits, local_bytes };
    if rules.broken(wanted).is_none() { Some(wanted) } else { rules.nearest(wanted).first().copied() }
}

/// The NDRange rounded up to a multiple of the local size: surplus work-items are idled by the kernel's guard. `None` where it overflows
/// or a side of `local` is 0.
#[must_use]
pub fn round_up_global<const N: usize>(mut global: [usize; N], local: [usize; N]) -> Option<[usize; N]> {
    for (side, local) in global.iter_mut().zip(local) {
        *side = side.checked_next_multiple_of(local)?;
    }
    Some(global)
}

/// Everything that decides whether a local size is legal.
struct Rules<'a, const N: usize> {
    info: &'a DeviceInfo,
    limits: Option<&'a KernelLimits>,
    local_bytes: &'a LocalBytes<'a, N>,
}

impl<const N: usize> Rules<'_, N> {
    /// The first limit that `local` breaks, as a clause with both numbers.
    fn broken(&self, local: [usize; N]) -> Option<String> {
        for (dimension, side) in local.into_iter().enumerate() {
            let limit = self.info.max_work_item_sizes.get(dimension).copied().unwrap_or(1);
            if side == 0 {
                return Some(filled("errors.local.zero", &[("dimension", &dimension)]));
            }
            if side > limit {
                return Some(filled("errors.local.side", &[("side", &side), ("dimension", &dimension), ("limit", &limit)]));
            }
        }
        let items = local.iter().copied().fold(1, usize::saturating_mul);
        let (limit, key) = self.most_items();
        if items > limit {
            let values: [(&str, &dyn Display); 3] = [("size", &local_label(local)), ("items", &items), ("limit", &limit)];
            return Some(filled(key, &values));
        }
        let (needed, available) = (self.bytes(local), self.info.local_mem_bytes);
        (needed > available).then(|| filled("errors.local.memory", &[("needed", &needed), ("available", &available)]))
    }

    /// Most work-items in a group, and the key of what is said of more: kernel or device sets the limit.
    fn most_items(&self) -> (usize, &'static str) {
        match self.limits {
            Some(limits) if limits.max_work_group_size < self.info.max_work_group_size => {
                (limits.max_work_group_size, "errors.local.items-of-kernel")
            }
            _ => (self.info.max_work_group_size, "errors.local.items-of-device"),
        }
    }

    /// Local memory of a group: what the kernel declares itself and what its arguments take.
    fn bytes(&self, local: [usize; N]) -> usize {
        let own = self.limits.map_or(0, |limits| usize::try_from(limits.local_mem_bytes).unwrap_or(usize::MAX));
        own.saturating_add((self.local_bytes)(local))
    }

    /// The largest side for which `size` is legal: halving, as a size within a legal one is legal too.
    fn largest(&self, size: impl Fn(usize) -> [usize; N]) -> usize {
        let (mut legal, mut illegal) = (0, self.most_items().0.saturating_add(1));
        while illegal - legal > 1 {
            let middle = legal + (illegal - legal) / 2;
            if self.broken(size(middle)).is_none() { legal = middle } else { illegal = middle }
        }
        legal
    }

    /// Up to two legal sizes near `wanted`: one keeps the row (x, less y), the other gives all sides up. Powers of two, as preferred
    /// multiples are, and largest first.
    fn nearest(&self, wanted: [usize; N]) -> Vec<[usize; N]> {
        let (mut wide, mut even) = (wanted.map(power_of_two), wanted.map(power_of_two));
        while self.broken(wide).is_some()
            && let Some(last) = wide.iter_mut().rev().find(|side| **side > 1)
        {
            *last /= 2;
        }
        while self.broken(even).is_some()
            && let Some(longest) = even.iter_mut().rev().max_by_key(|side| **side).filter(|side| **side > 1)
        {
            *longest /= 2;
        }
        let mut fitting: Vec<_> = [wide, even].into_iter().filter(|&size| self.broken(size).is_none()).collect();
        fitting.dedup();
        fitting
    }
}

/// The largest power of two that is at most `side`, at least 1.
fn power_of_two(side: usize) -> usize {
    side.checked_ilog2().map_or(1, |exponent| 1 << exponent)
}

#[cfg(test)]
mod tests {
    use super::{check_local, largest_local_fitting, legal_max_x, legal_max_y, round_up_global};
    use crate::device::{DeviceInfo, KernelLimits};
    use model::LocalSize;

    fn info() -> DeviceInfo {
        DeviceInfo {
            name: "X".to_owned(),
            max_work_group_size: 1024,
            max_work_item_sizes: [512, 64, 64],
            local_mem_bytes: 4096,
            ..DeviceInfo::example()
        }
    }

    const LIMITS: KernelLimits =
        KernelLimits { max_work_group_size: 256, preferred_multiple: 32, local_mem_bytes: 96, private_mem_bytes: 0 };

    fn why(local: [usize; 2], limits: Option<&KernelLimits>, bytes_per_item: usize) -> Option<String> {
        let checked = check_local(&info(), limits, LocalSize::Explicit(local), &|[x, y]| x * y * bytes_per_item);
        checked.map_err(|error| format!("{}: {}", error.why, error.remedy)).err()
    }

    #[test]
    fn the_drivers_choice_passes_and_is_null() {
        assert_eq!(check_local(&info(), Some(&LIMITS), LocalSize::Driver, &|_| usize::MAX), Ok(None));
    }

    #[test]
    fn zero_is_refused_in_either_dimension() {
        for local in [[0, 1], [1, 0], [0, 0]] {
            assert!(why(local, None, 0).is_some_and(|why| why.contains("is 0")), "{local:?}");
        }
        assert_eq!(why([1, 1], None, 0), None);
    }

    #[test]
    fn each_dimension_has_its_own_limit() {
        assert_eq!(why([512, 1], None, 0), None);
        assert_eq!(why([513, 1], None, 0).expect("over"), "513 in dimension 0 exceeds the device limit of 512: nearest that fits: 512 × 1");
        assert_eq!(why([1, 64], None, 0), None);
        assert!(why([1, 65], None, 0).expect("over").starts_with("65 in dimension 1 exceeds the device limit of 64"));
    }

    #[test]
    fn the_groups_limit_is_the_devices_or_the_kernels() {
        assert_eq!(why([32, 32], None, 0), None);
        assert!(why([512, 3], None, 0).expect("over").starts_with("512 × 3 = 1536 exceeds the device limit of 1024"));
        assert_eq!(why([32, 8], Some(&LIMITS), 0), None);
        let expected = "32 × 32 = 1024 exceeds the limit of 256 for this kernel on this device: nearest that fit: 32 × 8, 16 × 16";
        assert_eq!(why([32, 32], Some(&LIMITS), 0).expect("over"), expected);
    }

    #[test]
    fn local_memory_of_kernel_and_arguments_count_together() {
        assert_eq!(why([8, 25], Some(&LIMITS), 20), None); // 96 + 4000 = 4096
        let expected = "it needs 4116 bytes of local memory, and this device has 4096 per work-group: nearest that fits: 64 × 2";
        assert_eq!(why([67, 3], Some(&LIMITS), 20).expect("over"), expected);
        assert!(why([1, 1], None, 4097).expect("over").contains("no local size fits"));
    }

    #[test]
    fn the_largest_side_is_legal_and_the_next_is_not() {
        for y in [1, 2, 3, 25, 64] {
            let bytes = |[x, y]: [usize; 2]| (x + 2) * (y + 2) * 4;
            let x = legal_max_x(&info(), Some(&LIMITS), y, &bytes);
            assert!(check_local(&info(), Some(&LIMITS), LocalSize::Explicit([x, y]), &bytes).is_ok(), "{x} × {y}");
            assert!(check_local(&info(), Some(&LIMITS), LocalSize::Explicit([x + 1, y]), &bytes).is_err(), "{} × {y}", x + 1);
        }
        assert_eq!(legal_max_x(&info(), None, 1, &|_| 0), 512);
        assert_eq!(legal_max_y(&info(), None, 1, &|_| 0), 64);
        assert_eq!(legal_max_x(&info(), None, 65, &|_| 0), 0);
    }

    #[test]
    fn a_legal_wish_is_kept_and_an_illegal_one_becomes_the_nearest() {
        assert_eq!(largest_local_fitting(&info(), Some(&LIMITS), [7, 5], &|_| 0), Some([7, 5]));
        assert_eq!(largest_local_fitting(&info(), Some(&LIMITS), [64, 16], &|_| 0), Some([64, 4]));
        assert_eq!(largest_local_fitting(&info(), Some(&LIMITS), [0, 0], &|_| 0), Some([1, 1]));
        assert_eq!(largest_local_fitting(&info(), Some(&LIMITS), [1, 1], &|_| 5000), None);
    }

    #[test]
    fn the_ndrange_is_rounded_up_and_never_overflows() {
        assert_eq!(round_up_global([1000, 3], [64, 4]), Some([1024, 4]));
        assert_eq!(round_up_global([1024, 4], [64, 4]), Some([1024, 4]));
        assert_eq!(round_up_global([usize::MAX, 1], [64, 1]), None);
        assert_eq!(round_up_global([1, 1], [0, 1]), None);
    }
}
