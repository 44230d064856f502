//! The labels of controls that are neither a command, a stage, nor a row of another table. Each is unique: tests find controls by them.

use base::texts::text;

/// Makes a function of each key, which looks its text up.
macro_rules! labels {
    ($($(#[$doc:meta])* $name:ident = $key:literal;)+) => {
        $(
            $(#[$doc])*
            #[must_use]
            pub fn $name() -> &'static str {
                text($key)
            }
        )+
    };
}

labels! {
    /// The field for a picture's path.
    path_field = "window.label.path-field";
    /// Opens what the path field names.
    open_path = "window.label.open-path";
    /// The menu of pictures.
    picture_menu = "window.label.picture-menu";
    /// The choice of the filter.
    filter = "window.label.filter";
    /// The choice of the border mode.
    border = "window.label.border";
    /// The choice of channels.
    channels = "window.label.channels";
    /// The choice of a ladder.
    ladder = "window.label.ladder";
    /// The ladder menu's entry for none.
    no_ladder = "window.label.no-ladder";
    /// The choice of the device.
    device = "window.label.device";
    /// The menu of exports.
    export_menu = "window.label.export-menu";
    /// The choice of light and dark.
    theme = "window.label.theme";
    /// The choice of the language.
    language = "window.label.language";
    /// The field for a folder that exports are written into, for where no file dialog is installed.
    export_path = "window.label.export-path";
    /// The field for what the student wants to be called by the teacher.
    teacher_alias = "window.label.teacher-alias";
    /// The field for names of other machines.
    hosts = "window.label.hosts";
    /// Heading of the stages.
    stages = "window.label.stages";
    /// Heading of the local work size.
    local_size = "window.label.local-size";
    /// NULL: the driver chooses.
    drivers_choice = "window.label.drivers-choice";
    /// An explicit local work size.
    explicit_size = "window.label.explicit-size";
    /// Dimension 0 of the local work size.
    local_x = "window.label.local-x";
    /// Dimension 1 of the local work size.
    local_y = "window.label.local-y";
    /// Sliders go in powers of two.
    powers_of_two = "window.label.powers-of-two";
    /// How the picture gets into the device's memory and back.
    host_memory = "window.label.host-memory";
    /// Opens what more there is to say of a stage.
    more = "window.label.more-on";
    /// Takes a notice off the screen.
    dismiss = "window.label.dismiss";
    /// Opens the long part of a notice.
    details = "window.label.details";
    /// Logarithmic spacing of the timing chart.
    log_axis = "window.label.log-axis";
    /// Round trips below kernel times.
    round_trip = "window.label.round-trip";
    /// Which rows the timing chart has.
    rows = "window.label.rows";
    /// The CPU competitors in the timing chart.
    cpu_rows = "window.label.cpu-rows";
    /// The timing chart's rows sorted by kernel time.
    fastest_first = "window.label.fastest-first";
    /// Shows again what was hidden in the timing chart.
    show_hidden = "window.label.show-hidden";
    /// Repeated measurements, too.
    every_run = "window.label.every-run";
    /// What speed-ups are against.
    baseline = "window.label.baseline";
    /// The baseline that fits what is shown.
    automatic = "window.label.automatic";
    /// The source with what the last switch changed.
    whole_source = "window.label.whole-source";
    /// Two sources in one.
    difference_view = "window.label.difference-view";
    /// Edit the kernel.
    edit_kernel = "window.label.edit-kernel";
    /// The kernel's text while it is edited.
    edited_kernel = "window.label.edited-kernel";
    /// Takes the variant's own kernel again.
    revert_kernel = "window.label.revert-kernel";
    /// Shows the output of the edited kernel in the place of its text.
    edited_output = "window.label.edited-output";
    /// What is sought in the edited kernel.
    find_text = "window.label.find-text";
    /// Goes to the match before.
    find_previous = "window.label.find-previous";
    /// Goes to the next match.
    find_next = "window.label.find-next";
    /// Closes the bar that finds.
    find_close = "window.label.find-close";
    /// Takes the text that was in the editor before a file was opened.
    text_before = "window.label.text-before";
    /// Agrees to run a kernel of a file.
    run_kernel = "window.label.run-kernel";
    /// Agrees to run the kernels of a folder's lessons.
    trust_folder = "window.label.trust-folder";
    /// Runs a kernel in a simulator that checks every access.
    simulate_kernel = "window.label.simulate-kernel";
    /// What a difference is against.
    compare_with = "window.label.compare-with";
    /// Leave out what is far from any change.
    only_changes = "window.label.only-changes";
    /// Puts the shown source on the clipboard.
    copy_source = "window.label.copy-source";
    /// Brings the next changed line into view.
    next_change = "window.label.next-change";
    /// The text of the kernel.
    kernel_source = "window.label.kernel-source";
    /// The menu of panels to show and hide.
    panels_menu = "window.label.panels-menu";
    /// Hides a panel.
    hide = "window.label.hide";
    /// Before a workspace's name.
    workspace = "window.label.workspace";
    /// The commands that measure, where their buttons have no room.
    measure_menu = "window.label.measure-menu";
    /// What the driver said of a build that succeeded.
    build_log = "window.label.build-log";
    /// Begins the ladder that is offered.
    start_lesson = "window.label.start-lesson";
    /// The field for words that readings are found by.
    search_history = "window.label.search-history";
    /// Instructions of compiled code by what they do.
    code_counts = "window.label.code-counts";
    /// Compiled code as text.
    code_listing = "window.label.code-listing";
    /// The source beside the code that was made of it.
    code_source = "window.label.code-source";
    /// Compiled code of two variants.
    code_both = "window.label.code-both";
    /// What differs between the compiled code of two variants.
    code_difference = "window.label.code-difference";
    /// Before the name of a piece of a kernel.
    counted = "window.label.counted";
    /// Leaves out compiled code far from any change.
    only_code_changes = "window.label.only-code-changes";
    /// Puts the compiled code on the clipboard.
    copy_code = "window.label.copy-code";
}
