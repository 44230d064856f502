//! Plain data that everything else speaks of: what is computed, where, for how long, and what came of it. It imports nothing of this program but
//! its errors, and every type can be saved and sent.
//!
//! Each idea has one type. What is computed is a [`Spec`], compared and hashed as a whole: nobody compares filters, parameters, channels and border
//! modes one by one.

mod access;
mod added;
mod budget;
mod compiled;
mod confinement;
mod counts;
mod events;
mod filter_id;
mod foreign;
mod labelled;
pub mod measure;
mod memory;
mod moved;
mod operation;
mod parameters;
mod record;
mod roofline;
mod roofs;
mod sampling;
mod setting;
mod spec;
mod stages;
mod target;
pub mod testing;
mod texels;
mod variant;

pub use access::Access;
pub use added::{Added, AddedKind};
pub use budget::Budget;
pub use compiled::{CodeForm, CompiledKernel, Counted, Mix, Resources, Space, Width};
pub use confinement::Confinement;
pub use counts::Counts;
pub use events::{Event, EventCounts};
pub use filter_id::FilterId;
pub use foreign::ForeignRecord;
pub use kernel_ladder_cpu::{BorderMode, Channels, CpuEngine, Reach};
pub use labelled::Labelled;
pub use memory::HostMemory;
pub use moved::{Moved, TilePart, WHOLE, Whose, WorkClass};
pub use operation::{ByClass, Numbers, Operation, OperationClass, Unit};
pub use parameters::Parameters;
pub use record::{
    BuildFrom, Contender, Doubt, HeldTo, Machine, Measured, Outcome, Parts, PassTime, PictureFacts, Record, RoundTrip, Summary,
    Verification, on_machine,
};
pub use roofline::{Bound, Pipe, Requested, Shares, roofline_place};
pub use roofs::{Level, ProbeSetup, Roof, RoofKind, RoofUnit, Roofs, Wait, cache_bytes};
pub use sampling::{AddressMode, Sampling};
pub use setting::Setting;
pub use spec::Spec;
pub use stages::{Group, OwnStage, Ownership, Owns, STAGES, Stage, StageId, StageValue, bring, reserve, stages, values};
pub use target::{Abilities, LocalSize, local_label};
pub use texels::{ChannelOrder, ChannelType, ImageKind, ImageShape, TexelFormat};
pub use variant::{Variant, spelled};
