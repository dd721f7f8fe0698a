/// The versions of rows that a context has returned or saved, with which its changes are compared when it is saved.
final class KnownVersions {
  private var models: [ObjectIdentifier: any ModelVersions] = [:]
  /// Whether all changes since the last save were single values.
  var isExact = true

  /// Returns a copy of the versions that changes independently.
  func copy() -> KnownVersions {
    let copy = KnownVersions()
    copy.models = models.mapValues { $0.copy() }
    copy.isExact = isExact
    return copy
  }

  /// Records rows that were read, with the number of steps at that time.
  func didRead<M: Model>(_ values: [M], at clock: Int) {
    guard !values.isEmpty else { return }
    versions(of: M.self).didRead(values, at: clock)
  }

  /// Records rows that were written. They count once they are saved.
  func didWrite<M: Model>(_ values: [M]) {
    versions(of: M.self).written.append(values)
  }

  /// Called after a save: the written versions become the known ones.
  func didSave(at clock: Int) {
    for versions in models.values { versions.didSave(at: clock) }
    isExact = true
  }

  /// Called after a rollback: versions read from now on count again.
  func didRollBack() {
    forgetWritten()
    for versions in models.values { versions.didRollBack() }
  }

  /// Discards the versions that were written but not saved.
  func forgetWritten() {
    for versions in models.values { versions.forgetWritten() }
    isExact = true
  }

  /// Returns the known versions of a model's rows; nil if there are none.
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
/// Reads are only recorded, and sorted by key when a version is requested, so that a fetch has almost no overhead.
final class VersionsOf<M: Model>: ModelVersions {
  /// The versions. One from before the context was last saved or rolled back is outdated; it counts until the row is
  /// read again.
  private var known: [RowKey<M>: (clock: Int, value: M, epoch: Int)] = [:]
  /// The counters of the known versions and of those that were read after them.
  private var readings: [RowKey<M>: CounterReadings] = [:]
  let counters = M.schema.columns.filter { $0.options.contains(.counter) }
  /// The number of saves and rollbacks.
  private var epoch = 0
  private var reads: [(clock: Int, values: [M])] = []
  private var readCount = 0
  fileprivate var written: [[M]] = []

  fileprivate func copy() -> any ModelVersions {
    let copy = VersionsOf()
    (copy.known, copy.readings, copy.epoch) = (known, readings, epoch)
    (copy.reads, copy.readCount, copy.written) = (reads, readCount, written)
    return copy
  }

  /// The number of values to record before they are sorted, so that reading the same rows repeatedly doesn't fill the
  /// memory.
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
        // A value that can't be stored wasn't read.
        guard let key = try? RowKey(of: value) else { continue }
        let isFirst = known[key]?.epoch != epoch
        if isFirst { known[key] = (clock, value, epoch) }
        if !counters.isEmpty { noteCounters(of: value, key, isFirst: isFirst) }
      }
    }
    reads.removeAll()
    readCount = 0
  }

  fileprivate func didSave(at clock: Int) {
    didRollBack()
    for values in written {
      for value in values {
        guard let key = try? RowKey(of: value) else { continue }
        known[key] = (clock, value, -1)
        if !counters.isEmpty { noteCounters(of: value, key, isFirst: true) }
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

  /// Returns the version of the row with the value's key that was first read, with the number of steps at that time.
  func version(of value: M) throws -> (clock: Int, value: M)? {
    if !reads.isEmpty { sort() }
    return known[try RowKey(of: value)].map { ($0.clock, $0.value) }
  }

  // MARK: Counters

  private func noteCounters(of value: M, _ key: RowKey<M>, isFirst: Bool) {
    guard let values = try? numbers(of: value) else { return }
    if isFirst {
      readings[key] = CounterReadings(values)
    } else {
      readings[key]?.add(values)
    }
  }

  /// Returns the value's counters.
  func numbers(of value: M) throws -> [Int64] {
    try counters.map { try $0.column.storedValue(in: value).integer ?? 0 }
  }

  /// Returns what is known of the counters of the row with the value's key, and whether the row was read since the
  /// context was last saved or rolled back; nil if nothing is known.
  func counters(of value: M) throws -> (readings: CounterReadings, isCurrent: Bool)? {
    if !reads.isEmpty { sort() }
    let key = try RowKey(of: value)
    return readings[key].map { ($0, known[key]?.epoch == epoch) }
  }
}
