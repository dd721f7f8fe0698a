/// The unsaved changes of one context: its tables, its steps, and the versions it has read. A child's layer is on top
/// of its parent's.
final class ContextLayer {
  /// The changes of one call, or of several that were grouped.
  struct Step {
    let number: Int
    /// The errors of the step.
    var refusals: [any Error] = []
  }

  /// Attachments that are kept as long as this value exists.
  struct KeptAttachment {
    let lease: AttachmentLease
    /// Whether the lease is recorded in the file for other processes.
    var isWritten = false
  }

  /// The state that is restored when an enclosing change fails.
  struct State {
    /// The tables with unsaved rows in this layer or below, in the order in which they were first written.
    var tables: [OverlayTable] = []
    /// The steps that can be undone.
    var steps: [Step] = []
    /// The steps that can be redone, the next one last.
    var undone: [Step] = []
    /// The number of steps when the context was last saved; nil if that state can't be reached any more.
    var savedCount: Int? = 0
    /// What it has read.
    var versions = KnownVersions()
    /// The attachments that unsaved rows and steps refer to, by digest.
    var attachments: [String: KeptAttachment] = [:]
  }

  let id: Int
  let parent: ContextLayer?
  /// The policy of the context.
  let policy: MergePolicy
  var state = State()
  /// The number of steps, including those without changes, which orders reads and writes.
  var clock = 0
  /// The current step.
  var open: Step?

  init(id: Int, parent: ContextLayer?, policy: MergePolicy) {
    self.id = id
    self.parent = parent
    self.policy = policy
  }

  var tables: [OverlayTable] {
    get { state.tables }
    _modify { yield &state.tables }
  }

  var steps: [Step] {
    get { state.steps }
    _modify { yield &state.steps }
  }

  var undone: [Step] {
    get { state.undone }
    _modify { yield &state.undone }
  }

  var savedCount: Int? {
    get { state.savedCount }
    set { state.savedCount = newValue }
  }

  var versions: KnownVersions {
    get { state.versions }
    set { state.versions = newValue }
  }

  var attachments: [String: KeptAttachment] {
    get { state.attachments }
    _modify { yield &state.attachments }
  }

  /// The layers from the lowest to this one.
  var chain: [ContextLayer] { (parent?.chain ?? []) + [self] }

  var refusals: [any Error] { steps.flatMap(\.refusals) + (open?.refusals ?? []) }

  func table(_ name: String) -> OverlayTable? {
    tables.first { $0.name.isSameColumn(as: name) }
  }
}
