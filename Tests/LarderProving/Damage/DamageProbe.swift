import Foundation
import Larder

/// Opens a damaged file, asks and changes everything, and compares with what SQLite itself says of it.
struct DamageProbe {
  let path: String
  let original: DamageStore
  let target: DamageCase.Target
  private(set) var refusals = 0
  private(set) var checks = 0
  private(set) var failures: [String] = []

  init(path: String, _ damage: DamageCase) {
    self.path = path
    original = damage.store
    target = damage.target
  }

  mutating func run() {
    do {
      // Opened first, because opening may change the file.
      let raw = target == .file ? try? rawAnswers() : nil
      let store = try DamageStore.open(path)
      let db = store.blocking
      switch target {
      case .file: readFile(db, raw)
      case .log: readLogged(db)
      }
      write(db)
    } catch {
      refuse(error, "opening")
    }
  }

  private struct RawAnswers {
    let all: [DamageRow]?
    let found: [Int: [DamageRow]?]
  }

  private var keys: [Int] { original == .large ? [1, 20, 60, 61, 119, 120, 121] : [1, 6, 12, 13] }

  private func rawAnswers() throws -> RawAnswers {
    let copy = path + "-copy"
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    defer {
      for suffix in ["", "-wal", "-shm", "-journal"] { try? FileManager.default.removeItem(atPath: copy + suffix) }
    }
    let raw = try RawRows(copy)
    defer { raw.close() }
    let found = keys.map { key in (key, try? raw.rows(where: "id = \(key)")) }
    return RawAnswers(all: try? raw.rows(), found: Dictionary(uniqueKeysWithValues: found))
  }

  // MARK: Reading

  private mutating func readFile(_ db: BlockingStore, _ raw: RawAnswers?) {
    let expected = original.rows
    attempt("fetching all") {
      try db.fetch(DamageRow.all.sorted(by: \.id))
    } check: { rows in
      if rows == expected { return nil }
      guard let all = raw?.all else { return "\(rows.count) wrong rows where SQLite sees the damage" }
      return rows.elementsEqual(all) ? nil : "\(rows.count) rows that SQLite does not say"
    }
    for key in keys {
      attempt("finding \(key)") {
        try db.find(DamageRow.self, key)
      } check: { row in
        if row == expected.first(where: { $0.id == key }) { return nil }
        guard let found = raw?.found[key] ?? nil else { return "a wrong row where SQLite sees the damage" }
        return found == (row.map { [$0] } ?? []) ? nil : "a row that SQLite does not say"
      }
    }
    attempt("counting") {
      try db.count(DamageRow.all)
    } check: { _ in
      nil
    }
    attempt("searching") {
      try db.fetch(DamageRow.search("number").ranked().limit(10))
    } check: { _ in
      nil
    }
    attempt("an index") {
      try db.fetch(DamageRow.where { $0.title == "row number 77" })
    } check: { _ in
      nil
    }
    attempt("related rows") {
      try db.fetch(DamageGroup.all.including(\.rows))
    } check: { _ in
      nil
    }
    attempt("documents") {
      try db.documents("papers").fetch(sort: "number")
    } check: { _ in
      nil
    }
    attempt("sums") {
      try db.sum(DamageRow.all, of: \.amount)
    } check: { _ in
      nil
    }
  }

  /// What a damaged log leaves is what some commit left: the checksums tell where it ends.
  private mutating func readLogged(_ db: BlockingStore) {
    let original = original
    attempt("fetching all") {
      try db.fetch(DamageRow.all.sorted(by: \.id))
    } check: { rows in
      rows.count >= original.checkpointed.upperBound && rows.count <= original.logged.upperBound
        && rows.elementsEqual((1...rows.count).map(original.row))
        ? nil : "rows that no commit left: \(rows.map(\.id))"
    }
    attempt("integrity_check") {
      try db.sql("pragma integrity_check", as: (String).self)
    } check: { lines in
      lines == ["ok"] ? nil : "\(lines.prefix(2))"
    }
  }

  // MARK: Writing

  private mutating func write(_ db: BlockingStore) {
    let new = original.row(500)
    var isInserted = false
    attempt("inserting") {
      try db.insert(new)
      isInserted = true
    } check: { _ in
      nil
    }
    if isInserted {
      attempt("finding what was inserted") {
        try db.find(DamageRow.self, 500)
      } check: {
        $0 == new ? nil : "it is not there"
      }
    }
    attempt("updating all") {
      try db.updateAll(DamageRow.all) { $0.amount.increment(by: 1) }
    } check: { _ in
      nil
    }
    attempt("deleting") {
      try db.delete(DamageGroup.self, 1)
    } check: { _ in
      nil
    }
    attempt("a document") {
      try db.documents("papers").save("new", ["number": 1])
    } check: { _ in
      nil
    }
    let other = original.row(501)
    attempt("a transaction") {
      try db.write { db in
        try db.save(other)
        try db.deleteAll(DamageRow.where { $0.id > 100 })
      }
    } check: { _ in
      nil
    }
    attempt("counting again") {
      try db.count(DamageRow.all)
    } check: { _ in
      nil
    }
  }

  private mutating func attempt<Value>(_ name: String, _ body: () throws -> Value, check: (Value) -> String?) {
    checks += 1
    do {
      if let failure = check(try body()) { failures.append("\(name): \(failure)") }
    } catch {
      refuse(error, name)
    }
  }

  private mutating func refuse(_ error: any Error, _ name: String) {
    checks += 1
    refusals += 1
    if !(error is StoreError) { failures.append("\(name): an error that is no StoreError: \(error)") }
  }
}
