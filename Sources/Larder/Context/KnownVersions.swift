/// The versions of rows that a context handed out or saved: those that its changes are compared with when it is saved.
final class KnownVersions {
  private var models: [ObjectIdentifier: any ModelVersions] = [:]
  /// Whether all changes since the last save were values that were written one by one.
  var isExact = true

  /// The same versions, to be changed on their own.
  func copy() -> KnownVersions {
    let copy = KnownVersions()
    copy.models = models.mapValues { $0.copy() }
    copy.isExact = isExact
    return copy
  }

  /// Hears of rows that were read, at a count of steps.
  func didRead<M: Model>(_ values: [M], at clock: Int) {
    guard !values.isEmpty else { return }
    versions(of: M.self).didRead(values, at: clock)
  }

  /// Hears of rows that were written; they count once they are saved.
  func didWrite<M: Model>(_ values: [M]) {
    versions(of: M.self).written.append(values)
  }

  /// What was written is what is known from now on.
  func didSave(at clock: Int) {
    for versions in models.values { versions.didSave(at: clock) }
    isExact = true
  }

  /// What is read from now on counts again.
  func didRollBack() {
    forgetWritten()
    for versions in models.values { versions.didRollBack() }
  }

  /// Forgets what was written and not saved.
  func forgetWritten() {
    for versions in models.values { versions.forgetWritten() }
    isExact = true
  }

  /// The versions of a model whose rows are known; nil where none is.
  func known<M: Model>(_ model: M.Type) -> VersionsOf<M>? {
    models[ObjectIdentifier(model)] as? VersionsOf<M>
  }

  private func versions<M: Model>(of model: M.Type) -> VersionsOf<M> {
    if let versions = known(model) { return versions }
    let versions = VersionsOf<M>()
    models[ObjectIdentifier(model)] = versions
    return versions
  }
}

private protocol ModelVersions: AnyObject {
  func copy() -> any ModelVersions
  func didSave(at clock: Int)
  func forgetWritten()
  func didRollBack()
}

/// The versions of one model's rows.
///
/// Reads are only noted, and sorted by their keys when a version is asked for: a fetch costs nothing more.
final class VersionsOf<M: Model>: ModelVersions {
  /// The versions. One from before the context was last saved or rolled back is old: it counts until the row is read again.
  private var known: [RowKey<M>: (clock: Int, value: M, epoch: Int)] = [:]
  /// Counts the saves and rollbacks.
  private var epoch = 0
  private var reads: [(clock: Int, values: [M])] = []
  private var readCount = 0
  fileprivate var written: [[M]] = []

  fileprivate func copy() -> any ModelVersions {
    let copy = VersionsOf()
    (copy.known, copy.epoch, copy.reads, copy.readCount, copy.written) = (known, epoch, reads, readCount, written)
    return copy
  }

  /// As many values as may wait before they are sorted: reading the same rows again and again must not fill the memory.
  private static var limit: Int { 10_000 }

  fileprivate func didRead(_ values: [M], at clock: Int) {
    if values.count == 1, let last = reads.indices.last, reads[last].clock == clock {
      reads[last].values.append(values[0])
    } else {
      reads.append((clock, values))
    }
    readCount += values.count
    if readCount > Self.limit { sort() }
  }

  private func sort() {
    for (clock, values) in reads {
      for value in values {
        // What cannot be stored was not read.
        guard let key = try? RowKey(of: value), known[key]?.epoch != epoch else { continue }
        known[key] = (clock, value, epoch)
      }
    }
    reads.removeAll()
    readCount = 0
  }

  fileprivate func didSave(at clock: Int) {
    didRollBack()
    for values in written {
      for value in values {
        if let key = try? RowKey(of: value) { known[key] = (clock, value, -1) }
      }
    }
    written.removeAll()
  }

  fileprivate func forgetWritten() {
    written.removeAll()
  }

  fileprivate func didRollBack() {
    if !reads.isEmpty { sort() }
    epoch += 1
  }

  /// The version of the row with the value's key that was first read, with the count of steps at which it was.
  func version(of value: M) throws -> (clock: Int, value: M)? {
    if !reads.isEmpty { sort() }
    return known[try RowKey(of: value)].map { ($0.clock, $0.value) }
  }
}
