import Foundation
import Larder
import LarderTestSupport

/// The rows of a few tables in plain Swift, with the law of delete rules.
struct LinkedRows: Equatable {
  struct Key: Hashable {
    let table: Int
    let id: Int
  }

  /// What a transaction is refused for.
  enum Refusal: Error { case denied, dangling }

  let links: [[Link]]
  var targets: [Key: [Int?]] = [:]

  static func == (left: LinkedRows, right: LinkedRows) -> Bool { left.targets == right.targets }

  private func references(of key: Key) -> [(rule: DeleteRule, target: Key)] {
    zip(links[key.table], targets[key] ?? []).compactMap { link, id in
      id.map { (link.rule, Key(table: link.table, id: $0)) }
    }
  }

  /// Deletes rows: those that refer to them by `.cascade` go as well, and then none that is left may refer to one of
  /// them by `.deny`.
  mutating func delete(_ keys: Set<Key>) throws {
    var followers: [Key: [Key]] = [:]
    for key in targets.keys {
      for reference in references(of: key) where reference.rule == .cascade {
        followers[reference.target, default: []].append(key)
      }
    }
    var gone: Set<Key> = []
    var waiting = Array(keys.intersection(targets.keys))
    while let next = waiting.popLast() {
      if gone.insert(next).inserted { waiting += followers[next] ?? [] }
    }
    for key in targets.keys where !gone.contains(key) {
      if references(of: key).contains(where: { $0.rule == .deny && gone.contains($0.target) }) { throw Refusal.denied }
    }
    for key in gone { targets[key] = nil }
    for key in targets.keys {
      for (position, link) in links[key.table].enumerated() where link.rule == .nullify {
        if let id = targets[key]?[position], gone.contains(Key(table: link.table, id: id)) {
          targets[key]?[position] = nil
        }
      }
    }
  }

  /// Nothing may refer to what is not there, when a transaction ends.
  func commit() throws {
    for key in targets.keys where references(of: key).contains(where: { targets[$0.target] == nil }) {
      throw Refusal.dangling
    }
  }
}

/// One thing that a transaction does.
enum LinkedStep {
  case delete(LinkedRows.Key), deleteEach([Int], table: Int), deleteAll([Int], table: Int)
  case save(LinkedRows.Key, [Int?])
}

/// What is done with the tables, whatever their types are.
struct LinkedTables {
  let types: [any Linked.Type]

  func steps(_ rows: LinkedRows, _ transaction: Int, _ generator: inout SplitMix64) -> [LinkedStep] {
    var known = rows
    let count = transaction < 2 ? 6 : Int.random(in: 1...3, using: &generator)
    return (0..<count).compactMap { _ in
      let key = LinkedRows.Key(
        table: Int.random(in: types.indices, using: &generator), id: Int.random(in: 1...4, using: &generator))
      let ids = (1...4).filter { _ in Bool.random(using: &generator) }
      if transaction >= 2, Bool.random(using: &generator) {
        return [.delete(key), .delete(key), .deleteEach(ids, table: key.table), .deleteAll(ids, table: key.table)][
          Int.random(in: 0..<4, using: &generator)]
      }
      let targets = known.links[key.table].map { link -> Int? in
        // Most of the time a row that is there at the start of the transaction, or that it has written.
        generator.once(in: 2)
          ? nil
          : known.targets.keys.filter { $0.table == link.table }.map(\.id).sorted().randomElement(using: &generator)
      }
      known.targets[key] = targets
      return .save(key, targets)
    }
  }

  func apply(_ steps: [LinkedStep], to rows: inout LinkedRows) throws {
    for step in steps { try apply(step, to: &rows) }
    try rows.commit()
  }

  /// Does one step of a transaction.
  func apply(_ step: LinkedStep, to rows: inout LinkedRows) throws {
    switch step {
    case .delete(let key): try rows.delete([key])
    case .deleteEach(let ids, let table), .deleteAll(let ids, let table):
      try rows.delete(Set(ids.map { LinkedRows.Key(table: table, id: $0) }))
    case .save(let key, let targets): rows.targets[key] = targets
    }
  }

  func apply(_ steps: [LinkedStep], to db: some StoreWriter) throws {
    for step in steps {
      switch step {
      case .delete(let key): try delete(types[key.table], key.id, db)
      case .deleteEach(let ids, let table): try deleteEach(types[table], ids, db)
      case .deleteAll(let ids, let table): try deleteAll(types[table], ids, db)
      case .save(let key, let targets): try save(types[key.table], key.id, targets, db)
      }
    }
  }

  private func delete<M: Linked>(_ type: M.Type, _ id: Int, _ db: some StoreWriter) throws { try db.delete(type, id) }

  private func deleteEach<M: Linked>(_ type: M.Type, _ ids: [Int], _ db: some StoreWriter) throws {
    try db.delete(ids.map { M(id: $0) })
  }

  private func deleteAll<M: Linked>(_ type: M.Type, _ ids: [Int], _ db: some StoreWriter) throws {
    _ = try db.deleteAll(M.rows(ids))
  }

  private func save<M: Linked>(_ type: M.Type, _ id: Int, _ targets: [Int?], _ db: some StoreWriter) throws {
    var row = M(id: id)
    row.targets = targets
    try db.save(row)
  }

  func read(_ db: some StoreReader, _ links: [[Link]]) throws -> LinkedRows {
    var rows = LinkedRows(links: links)
    func read<M: Linked>(_ type: M.Type, _ table: Int) throws {
      for row in try db.fetch(M.all) { rows.targets[LinkedRows.Key(table: table, id: row.id)] = row.targets }
    }
    for (table, type) in types.enumerated() { try read(type, table) }
    return rows
  }
}
