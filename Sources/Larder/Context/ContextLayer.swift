/// The pending changes of one context: its tables, its steps, and what it has read. A child's layer lies on its parent's.
final class ContextLayer {
  /// What one verb did, or several that were grouped.
  struct Step {
    let number: Int
    /// What could not be kept.
    var refusals: [any Error] = []
  }

  /// Bytes that stay for as long as this lives.
  struct KeptAttachment {
    let lease: AttachmentLease
    /// Whether the file tells other processes of it.
    var isWritten = false
  }

  /// What becomes what it was when a change that encloses others fails.
  struct State {
    /// The tables that have pending rows here or in a layer below, in the order in which they were first written.
    var tables: [OverlayTable] = []
    /// The steps that can be undone.
    var steps: [Step] = []
    /// The steps that can be done again, the next one last.
    var undone: [Step] = []
    /// How many of the steps were done when the context was last saved; nil where those cannot be reached any more.
    var savedCount: Int? = 0
    /// What it has read.
    var versions = KnownVersions()
    /// The bytes that pending rows and steps name, by their digests.
    var attachments: [String: KeptAttachment] = [:]
  }

  let id: Int
  let parent: ContextLayer?
  var state = State()
  /// Counts the steps, those too that changed nothing; with it the order of reads and writes is known.
  var clock = 0
  /// The step at work.
  var open: Step?

  init(id: Int, parent: ContextLayer?) {
    self.id = id
    self.parent = parent
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
