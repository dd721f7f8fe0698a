import Foundation

/// Compares the rows that refer to attachments with the files.
struct AttachmentVerification {
  private let storage: AttachmentStorage
  private let connection: Connection
  private var folder: AttachmentFolder { storage.folder }

  init(_ storage: AttachmentStorage, _ connection: Connection) {
    self.storage = storage
    self.connection = connection
  }

  func report() throws -> AttachmentReport {
    var report = AttachmentReport()
    // Files that are deleted or placed meanwhile would look missing or orphaned.
    let reading = try folder.lockForReading()
    defer { withExtendedLifetime(reading) {} }
    let staging = folder.exists ? try? folder.lockFile(.staging) : nil
    let isQuiet = staging?.tryLock(isExclusive: true) ?? true
    let files = folder.shards().flatMap(folder.digests)
    let temporary = isQuiet ? AttachmentFolder.names(in: folder.temporary) : []
    withExtendedLifetime(staging) {}
    let registered = try registered()
    report.orphaned += temporary.map { URL(fileURLWithPath: "\(folder.temporary)/\($0)") }
    if isQuiet { report.orphaned += files.filter { registered[$0] == nil }.map(url) }
    var missing: Set<String> = []
    var damaged: Set<String> = []
    for (digest, entry) in registered {
      try connection.checkInterruption()
      report.count += 1
      switch folder.content(of: digest) {
      case .absent: missing.insert(digest)
      case _ where try entry.size >= 0 && !folder.isWhole(digest, size: entry.size): damaged.insert(digest)
      case _ where entry.isUnused: report.orphaned.append(url(digest))
      default: break
      }
    }
    let references = try references { registered[$0] == nil || missing.contains($0) || damaged.contains($0) }
    func problems(_ digests: some Sequence<String>) -> [AttachmentReport.Problem] {
      digests.sorted().map { AttachmentReport.Problem(digest: $0, url: url($0), references: references[$0] ?? []) }
    }
    // Missing data that no row refers to isn't a problem.
    report.missing = problems(references.keys.filter { !damaged.contains($0) })
    report.damaged = problems(damaged)
    report.orphaned.sort { $0.path < $1.path }
    return report
  }

  private func url(_ digest: String) -> URL { URL(fileURLWithPath: folder.path(of: digest)) }

  private func registered() throws -> [String: (size: Int, isUnused: Bool)] {
    guard try AttachmentTable(connection).exists() else { return [:] }
    var keepers: [String: [String]] = [:]
    for row in try connection.query("SELECT digest, holder FROM main.\(AttachmentTable.leases)") {
      keepers[row["digest"]?.text ?? "", default: []].append(row["holder"]?.text ?? "")
    }
    var registered: [String: (size: Int, isUnused: Bool)] = [:]
    for row in try connection.query("SELECT digest, size, uses FROM main.\(AttachmentTable.name)") {
      guard let digest = row["digest"]?.text, let uses = row["uses"]?.integer else { continue }
      let isKept =
        storage.leases.isHeld(digest)
        || (keepers[digest] ?? []).contains { $0 != storage.knownHolder && storage.isOpen($0) }
      registered[digest] = (Int(row["size"]?.integer ?? 0), uses <= 0 && !isKept)
    }
    return registered
  }

  /// Returns the rows that refer to attachments for which the closure returns true.
  private func references(_ isWanted: (String) -> Bool) throws -> [String: [AttachmentReport.Reference]] {
    var references: [String: [AttachmentReport.Reference]] = [:]
    for column in try AttachmentColumn.all(connection) where !column.isLoose {
      let keys = try keys(of: column.table)
      let names = keys.map { "t.\(Quoting.name($0)) AS \(Quoting.name("key_" + $0))" }
      for row in try connection.query(column.rows((["DISTINCT j.atom AS digest"] + names).joined(separator: ", "))) {
        guard let digest = row["digest"]?.text, isWanted(digest) else { continue }
        let key = keys.reduce(into: [:]) { $0[$1] = row["key_" + $1] ?? .null }
        let reference = AttachmentReport.Reference(table: column.table, key: key)
        if references[digest]?.contains(reference) != true { references[digest, default: []].append(reference) }
      }
    }
    return references
  }

  /// The key columns of a table.
  private func keys(of table: String) throws -> [String] {
    if try Catalogue.exists(in: connection), let entry = try Catalogue.entry(of: table, in: connection) {
      return entry.columns.filter(\.isKey).map(\.name)
    }
    return ["key"]
  }
}
