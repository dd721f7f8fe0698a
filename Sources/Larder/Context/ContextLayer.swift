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

  let id: Int
  let parent: ContextLayer?
  /// The tables that have pending rows here or in a layer below, in the order in which they were first written.
  var tables: [OverlayTable] = []
  /// Counts the steps, those too that changed nothing; with it the order of reads and writes is known.
  var clock = 0
  /// The steps that can be undone.
  var steps: [Step] = []
  /// The steps that can be done again, the next one last.
  var undone: [Step] = []
  /// The step at work.
  var open: Step?
  /// How many of the steps were done when the context was last saved; nil where those cannot be reached any more.
  var savedCount: Int? = 0
  let versions = KnownVersions()
  /// The bytes that pending rows and steps name, by their digests.
  var attachments: [String: KeptAttachment] = [:]

  init(id: Int, parent: ContextLayer?) {
    self.id = id
    self.parent = parent
  }

  /// The layers from the lowest to this one.
  var chain: [ContextLayer] { (parent?.chain ?? []) + [self] }

  var refusals: [any Error] { steps.flatMap(\.refusals) + (open?.refusals ?? []) }

  func table(_ name: String) -> OverlayTable? {
    tables.first { $0.name.isSameColumn(as: name) }
  }
}
