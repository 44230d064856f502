//! The labels of controls that are neither a command, a stage, nor a row of another table. Each is unique: tests find controls by them.

/// The field for a picture's path.
pub const PATH_FIELD: &str = "Picture path";
/// Opens what the path field names.
pub const OPEN_PATH: &str = "Open path";
/// The menu of pictures.
pub const PICTURE_MENU: &str = "Picture";
/// The choice of the filter.
pub const FILTER: &str = "Filter";
/// The choice of the border mode.
pub const BORDER: &str = "Border";
/// The choice of channels.
pub const CHANNELS: &str = "Channels";
/// The choice of a ladder.
pub const LADDER: &str = "Ladder";
/// The ladder menu's entry for none.
pub const NO_LADDER: &str = "No ladder";
/// The choice of the device.
pub const DEVICE: &str = "Device";
/// The menu of exports.
pub const EXPORT_MENU: &str = "Export";
/// The choice of light and dark.
pub const THEME: &str = "Theme";
/// The field for a folder that exports are written into, for where no file dialog is installed.
pub const EXPORT_PATH: &str = "Export folder";
/// Heading of the stages.
pub const STAGES: &str = "Stages";
/// Heading of the local work size.
pub const LOCAL_SIZE: &str = "Local work size";
/// NULL: the driver chooses.
pub const DRIVERS_CHOICE: &str = "Driver's choice";
/// An explicit local work size.
pub const EXPLICIT_SIZE: &str = "x × y";
/// Dimension 0 of the local work size.
pub const LOCAL_X: &str = "Local x";
/// Dimension 1 of the local work size.
pub const LOCAL_Y: &str = "Local y";
/// Sliders go in powers of two.
pub const POWERS_OF_TWO: &str = "Powers of two";
/// How the picture gets into the device's memory and back.
pub const HOST_MEMORY: &str = "Host memory";
/// Opens what more there is to say of a stage.
pub const MORE: &str = "More on";
/// Takes a notice off the screen.
pub const DISMISS: &str = "Dismiss";
/// Opens the long part of a notice.
pub const DETAILS: &str = "Details";
/// Logarithmic spacing of the timing chart.
pub const LOG_AXIS: &str = "Log axis";
/// Round trips below kernel times.
pub const ROUND_TRIP: &str = "Round trip";
/// Which rows the timing chart has.
pub const ROWS: &str = "Rows";
/// The CPU competitors in the timing chart.
pub const CPU_ROWS: &str = "CPU rows";
/// The timing chart's rows sorted by kernel time.
pub const FASTEST_FIRST: &str = "Fastest first";
/// Shows again what was hidden in the timing chart.
pub const SHOW_HIDDEN: &str = "Show hidden rows";
/// Repeated measurements, too.
pub const EVERY_RUN: &str = "All runs";
/// What speed-ups are against.
pub const BASELINE: &str = "Baseline";
/// The baseline that fits what is shown.
pub const AUTOMATIC: &str = "Automatic";
/// The menu of readings.
pub const HISTORY: &str = "History";
/// The source with what the last switch changed.
pub const WHOLE_SOURCE: &str = "Whole source";
/// Two sources in one.
pub const DIFFERENCE_VIEW: &str = "Difference view";
/// What a difference is against.
pub const COMPARE_WITH: &str = "Compare with";
/// Leave out what is far from any change.
pub const ONLY_CHANGES: &str = "Only changes";
/// Puts the shown source on the clipboard.
pub const COPY_SOURCE: &str = "Copy source";
/// Brings the next changed line into view.
pub const NEXT_CHANGE: &str = "Next change";
/// The text of the kernel.
pub const KERNEL_SOURCE: &str = "Kernel source";
/// The menu of panels to show and hide.
pub const PANELS_MENU: &str = "Panels";
/// Hides a panel.
pub const HIDE: &str = "Hide";
/// Before a workspace's name.
pub const WORKSPACE: &str = "Workspace";
/// The commands that measure, where their buttons have no room.
pub const MEASURE_MENU: &str = "Measure";
/// Begins the ladder that is offered.
pub const START_LESSON: &str = "Start here";
/// The field for words that readings are found by.
pub const SEARCH_HISTORY: &str = "Search readings";
/// What the driver said of a build that succeeded.
pub const BUILD_LOG: &str = "Build log";
/// Instructions of compiled code by what they do.
pub const CODE_COUNTS: &str = "Code counts";
/// Compiled code as text.
pub const CODE_LISTING: &str = "Code listing";
/// What differs between the compiled code of two variants.
pub const CODE_DIFFERENCE: &str = "Code difference";
/// Before the name of a piece of a kernel.
pub const COUNTED: &str = "Count the";
/// Leaves out compiled code far from any change.
pub const ONLY_CODE_CHANGES: &str = "Only changed code";
/// Puts the compiled code on the clipboard.
pub const COPY_CODE: &str = "Copy code";
