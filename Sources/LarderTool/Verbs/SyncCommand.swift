import ArgumentParser
import Foundation
import Larder
import LarderSync

struct SyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Shows and exchanges what replicas of a file have changed.",
    discussion: """
      Sync is begun by the program, which opens its file with Store.Configuration(sync: .on).

      EXAMPLES
        larder sync status notes.larder
        larder sync export notes.larder changes.bin && larder sync import other.larder changes.bin
      """,
    subcommands: [StatusCommand.self, ConflictsCommand.self, ExportChanges.self, ImportChanges.self])

  /// Opens a file whose writes are tracked.
  ///
  /// - Throws: ``Failure`` if sync is off in the file.
  static func open(_ file: String, _ access: Store.Configuration.Access) async throws -> Store {
    let store = try StoreFile.open(file, access)
    guard try await store.sync.isEnabled() else {
      await store.close()
      throw Failure(
        "Sync is off in \(file). The program that owns the file turns it on, which needs its models: Store.Configuration(sync: .on)."
      )
    }
    return store
  }

  struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "status", abstract: "Shows the replica, and how many rows are set aside, in conflict or waiting.")

    @OptionGroup var source: StoreFile
    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
      try await SyncCommand.open(source.file, .readOnly).closing { store in
        let sync = store.sync
        // A copy of a file is a new replica, which only a writer can make it.
        let replica = try? await sync.replica().description
        let name = replica == nil ? nil : try await sync.name()
        let (setAside, conflicts) = (try await sync.setAside(), try await sync.conflicts())
        let (waiting, awaited) = (try await sync.waiting().count, try await sync.awaitedAttachments().count)
        if json {
          let value = DocumentValue.record([
            "replica": DocumentValue(replica), "name": DocumentValue(name), "conflicts": DocumentValue(conflicts.count),
            "setAside": .array(setAside.map { SyncText.json($0) }), "waiting": DocumentValue(waiting),
            "awaitedAttachments": DocumentValue(awaited),
          ])
          return print(try JSONText.line(value))
        }
        let title = name.map { "\(replica ?? "") (\($0))" } ?? replica
        print(
          "Replica: \(DisplayText.escaped(title ?? "a copy, which becomes a new one with its next export or import"))")
        print("Conflicts: \(conflicts.count)")
        print("Changes that wait for their time: \(waiting)")
        print("Attachments whose bytes are awaited: \(awaited)")
        print("Rows that are set aside: \(setAside.count)")
        for row in setAside { print("  " + DisplayText.escaped(SyncText.line(row))) }
      }
    }
  }

  struct ConflictsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "conflicts", abstract: "Lists values that lost against others written at the same time elsewhere.",
      discussion: "The exit code is 1 if there are some.")

    @OptionGroup var source: StoreFile
    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
      try await SyncCommand.open(source.file, .readOnly).closing { store in
        let conflicts = try await store.sync.conflicts()
        if json {
          print(try JSONText.line(.array(conflicts.map { SyncText.json($0) })))
        } else if conflicts.isEmpty {
          print("There are no conflicts.")
        } else {
          var table = TextTable(["table", "key", "property", "lost", "written by", "current", "written by"])
          for conflict in conflicts { table.add(SyncText.cells(conflict)) }
          print(table.text(), terminator: "")
        }
        if !conflicts.isEmpty { throw ExitCode.failure }
      }
    }
  }

  struct ExportChanges: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "export", abstract: "Writes the changes of a file for other replicas.",
      discussion:
        "A file that is there is replaced. The key that seals it is read from LARDER_SYNC_KEY, if that is set.")

    @OptionGroup var source: StoreFile
    @Argument(help: "The file to write.", completion: .file())
    var output: String
    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
      // The first export of a copy makes it a replica of its own.
      try await SyncCommand.open(source.file, .readWrite).closing { store in
        let (url, key) = (URL(filePath: output), try SyncText.key())
        let file = try await Interruption.cancelling { try await store.sync.export(to: url, key: key) }
        if json {
          print(
            try JSONText.line(.record(["rows": DocumentValue(file.rows), "size": DocumentValue(file.size)])))
        } else {
          print("\(file.rows) rows, \(FileFacts.text(file.size))")
        }
      }
    }
  }

  struct ImportChanges: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "import", abstract: "Merges the changes that another replica has exported.",
      discussion: "With LARDER_SYNC_KEY set, only files that this key seals are taken.")

    @OptionGroup var target: StoreFile
    @Argument(help: "The file to read.", completion: .file())
    var input: String
    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
      try await SyncCommand.open(target.file, .readWrite).closing { store in
        let keys = try SyncText.key().map { [$0] } ?? []
        let report = try await store.sync.import(from: URL(filePath: input), keys: keys)
        if json {
          return print(
            try JSONText.line(
              .record([
                "rows": DocumentValue(report.rows), "changed": DocumentValue(report.changed),
                "setAside": DocumentValue(report.setAside), "leavesGap": .bool(report.leavesGap),
              ])))
        }
        print("\(report.rows) rows, of which \(report.changed) changed something; \(report.setAside) are set aside")
        if report.leavesGap { print("An earlier file of the sender is missing. Import it as well.") }
      }
    }
  }
}

/// What sync keeps of rows, as text and as JSON.
enum SyncText {
  /// The key in the environment, where no list of processes shows it.
  static func key() throws -> GroupKey? {
    try ProcessInfo.processInfo.environment["LARDER_SYNC_KEY"].map { try GroupKey(text: $0) }
  }

  private static func text(_ value: Value) -> String {
    (value.blob?.count == 16 ? (try? UUID(storedValue: value))?.uuidString : nil) ?? value.description
  }

  private static func text(_ key: [Value]) -> String { key.map { text($0) }.joined(separator: ", ") }

  static func line(_ row: SetAsideRow) -> String {
    func by(_ stamp: Stamp, _ name: String?) -> String {
      "by \(name ?? stamp.replica.description), \(stamp.date.formatted(.iso8601))"
    }
    let other = row.otherStamp.map { " (\(by($0, row.otherReplica)))" } ?? ""
    return "\(row.table) \(text(row.key)), written \(by(row.stamp, row.replica)): \(reason(row.reason))\(other)"
  }

  private static func reason(_ reason: SetAsideRow.Reason) -> String {
    switch reason {
    case .deleted(let property, let table, let key): "\(property) refers to \(table) \(text(key)), which was deleted"
    case .missing(let property, let table, let key): "\(property) refers to \(table) \(text(key)), which hasn't arrived"
    case .setAside(let property, let table, let key): "\(property) refers to \(table) \(text(key)), which is set aside"
    case .duplicate(let properties, let key): "row \(text(key)) has the same \(properties.joined(separator: ", "))"
    case .incomplete: "a required value is missing or of another type"
    }
  }

  static func json(_ row: SetAsideRow) -> DocumentValue {
    .record([
      "table": .text(row.table), "key": .array(row.key.map { .text(text($0)) }), "reason": .text(reason(row.reason)),
      "written": side(row.stamp, row.replica), "other": row.otherStamp.map { side($0, row.otherReplica) },
    ])
  }

  private static func property(_ conflict: SyncConflict) -> String? {
    if case .value(let property) = conflict.kind { property } else { nil }
  }

  /// The value that lost; with a sign if it was added to a counter.
  private static func lost(_ conflict: SyncConflict) -> String? {
    if conflict.lost.isNull { return nil }
    let value = text(conflict.lost)
    return conflict.isAddition && !value.hasPrefix("-") ? "+\(value)" : value
  }

  static func cells(_ conflict: SyncConflict) -> [String?] {
    [
      conflict.table, text(conflict.key), property(conflict) ?? "(deleted row)",
      lost(conflict), conflict.lostReplica ?? conflict.lostStamp.replica.description,
      conflict.current.isNull ? nil : text(conflict.current),
      conflict.currentReplica ?? conflict.currentStamp.replica.description,
    ]
  }

  private static func side(_ stamp: Stamp, _ name: String?, _ value: Value? = nil) -> DocumentValue {
    .record([
      "value": value.map { ColumnCoding("", .any).json($0) }, "replica": .text(stamp.replica.description),
      "name": DocumentValue(name), "date": try? stamp.date.documentValue,
    ])
  }

  static func json(_ conflict: SyncConflict) -> DocumentValue {
    .record([
      "table": .text(conflict.table), "key": .array(conflict.key.map { .text(text($0)) }),
      "property": DocumentValue(property(conflict)), "isAddition": .bool(conflict.isAddition),
      "lost": side(conflict.lostStamp, conflict.lostReplica, conflict.lost),
      "current": side(conflict.currentStamp, conflict.currentReplica, conflict.current),
    ])
  }
}
