//! One load or store of one work-item.

/// What is loaded from or stored to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// The source picture: a buffer in global memory, or an image object.
    Source,
    /// What a pass leaves for the next one, by its index in [`crate::launch::Launch::between`].
    Between(usize),
    /// The output, in global memory.
    Destination,
    /// A table that is passed as a `__global` pointer, by its index in [`crate::launch::Launch::tables`].
    Table(usize),
    /// A table or an array in constant memory.
    Constant,
    /// The work-group's tile in local memory.
    Tile,
}

impl Space {
    /// Whether it lies in global memory or in an image object: what [`model::Counts`] counts.
    #[must_use]
    pub const fn is_global(self) -> bool {
        !matches!(self, Self::Constant | Self::Tile)
    }
}

/// The direction, and whether it goes through an image object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// By a pointer.
    Load,
    /// By a pointer.
    Store,
    /// `read_image`, through a sampler.
    ImageRead,
    /// `write_image`.
    ImageWrite,
}

impl Kind {
    /// Whether it brings data to the work-item.
    #[must_use]
    pub const fn is_load(self) -> bool {
        matches!(self, Self::Load | Self::ImageRead)
    }
}

/// Where, in the memory object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// Consecutive bytes of a buffer, constant array or tile.
    Bytes {
        /// The first one, counted from the object's beginning.
        first: usize,
        /// How many.
        count: usize,
    },
    /// Bytes of a buffer, of which the pixels' values tell the place: an entry of a table.
    Somewhere {
        /// How many.
        bytes: usize,
    },
    /// A texel of an image object: the one that the sampler finds, which is never outside.
    Texel {
        /// Its column.
        x: usize,
        /// Its row.
        y: usize,
        /// Its size in bytes.
        bytes: usize,
    },
}

/// Which instruction of the kernel's text it is, and in which turn of the loops around it: work-items of a sub-group that run together execute the
/// accesses of one moment as one. It is a fingerprint of these numbers, as loops may be nested to any depth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Moment(u64);

impl Moment {
    /// The one of that number inside this one.
    #[must_use]
    pub const fn inner(self, number: u64) -> Self {
        // The mixing steps of SplitMix64 (Steele, Lea, Flood 2014), which map different numbers to different ones.
        let mut mixed = self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(number).wrapping_add(1);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Self(mixed ^ (mixed >> 31))
    }
}

/// One load or store instruction of one work-item, as the kernel's text has it: `vload16` is one of 16 bytes, and so is `*pointer` to an `int4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// What is loaded from or stored to.
    pub space: Space,
    /// The direction, and whether it goes through an image object.
    pub kind: Kind,
    /// Which bytes, or which texel.
    pub place: Place,
    /// Lanes of the vector; 1 for a scalar. A texel counts as one lane.
    pub lanes: usize,
    /// Whether the same work-item has loaded the same bytes before and still needs them: the center, which a window comes to once more. A compiler takes
    /// them from a register, though not across the steps of a loop that it does not unroll. [`model::Counts`] leaves them out.
    pub is_repeat: bool,
    /// When: the same for all work-items of a sub-group that execute it together.
    pub when: Moment,
}

impl Access {
    /// Bytes that are asked for, before any cache.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        match self.place {
            Place::Bytes { count, .. } => count,
            Place::Somewhere { bytes } | Place::Texel { bytes, .. } => bytes,
        }
    }
}

/// One work-item of an NDRange without offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkItem {
    /// Its work-group's number in each dimension.
    pub group: [usize; 2],
    /// Its place in the work-group.
    pub local: [usize; 2],
    /// Work-items of a work-group.
    pub local_size: [usize; 2],
}

impl WorkItem {
    /// Its place in the NDRange.
    #[must_use]
    pub fn global(&self) -> [usize; 2] {
        let ([group_0, group_1], [local_0, local_1], [size_0, size_1]) = (self.group, self.local, self.local_size);
        [group_0 * size_0 + local_0, group_1 * size_1 + local_1]
    }

    /// Every work-item of the work-group, dimension 0 first.
    pub fn all_of_group(group: [usize; 2], local_size: [usize; 2]) -> impl Iterator<Item = Self> {
        let [across, down] = local_size;
        (0..down).flat_map(move |second| (0..across).map(move |first| Self { group, local: [first, second], local_size }))
    }

    /// Every work-item that a launch over `global` work-items starts: it is rounded up to whole work-groups.
    pub fn all(global: [usize; 2], local_size: [usize; 2]) -> impl Iterator<Item = Self> {
        let [across, down] = [0, 1].map(|dimension: usize| match (global.get(dimension), local_size.get(dimension)) {
            (Some(global), Some(local)) => global.div_ceil((*local).max(1)),
            _ => 0,
        });
        (0..down).flat_map(move |second| (0..across).flat_map(move |first| Self::all_of_group([first, second], local_size)))
    }
}
