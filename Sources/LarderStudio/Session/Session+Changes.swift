import Foundation
import HTTPTypes
import Larder

extension Session {
  /// Inserts a row. What isn't named has no value.
  ///
  /// - Returns: The key of the row.
  func insert(_ texts: [String: String?], into name: String, expires: Date?) throws -> RowKey {
    let table = try context.table(name)
    let values = try table.values(parsing: texts)
    return try noting {
      let key = RowKey(try context.insert(values, into: name, expires: expires))
      try touch(TouchedRow(table: table.name, key: key))
      return key
    }
  }

  /// Writes some properties of a row.
  func update(_ texts: [String: String?], of key: RowKey, in name: String) throws {
    let table = try context.table(name)
    let values = try table.values(parsing: texts, replacing: context.row(with: key.values, in: table.name))
    try touch(TouchedRow(table: table.name, key: key))
    try noting { try context.update(values, ofRowWith: key.values, in: name) }
  }

  func setExpiry(of key: RowKey, in name: String, to date: Date?) throws {
    let table = try context.table(name)
    try touch(TouchedRow(table: table.name, key: key))
    try noting { try context.setExpiry(ofRowWith: key.values, in: name, to: date) }
  }

  /// Deletes a row. Rows that refer to it follow their delete rules.
  func delete(_ key: RowKey, from name: String) throws {
    let table = try context.table(name)
    try touchReach(of: TouchedRow(table: table.name, key: key))
    guard try noting({ try context.deleteRow(with: key.values, from: name) }) else {
      throw Refusal(.notFound, "There is no such row any longer.")
    }
  }

  func undo() throws -> Bool {
    try renewUnchanged()
    return noting { context.undo() }
  }

  func redo() throws -> Bool {
    try renewUnchanged()
    return noting { context.redo() }
  }

  func discard() throws {
    noting { context.rollback() }
    try renewAll()
  }

  // MARK: What was reached

  /// Notes that a row may change, with what the store has of it.
  private func touch(_ row: TouchedRow) throws {
    let isFirst = touched[row] == nil
    guard try isFirst || !isChanged(row) else { return }
    touched[row] = try stored(row)
    if isFirst { order.append(row) }
  }

  /// Returns whether a row of the context differs from the store's.
  private func isChanged(_ row: TouchedRow) throws -> Bool {
    try StoredVersion(row, from: context) != stored(row)
  }

  /// Notes what the store has now of the rows that the context doesn't change: the program may have written them.
  private func renewUnchanged() throws {
    for row in order where try !isChanged(row) { touched[row] = try stored(row) }
  }

  /// Notes what the store has now of all rows, because there are no unsaved changes. Earlier steps may reach them again.
  func renewAll() throws {
    decided = []
    isReachComplete = true
    for row in order { touched[row] = try stored(row) }
  }

  /// Notes a row and those that the rules of its deletion reach, up to a number.
  private func touchReach(of row: TouchedRow) throws {
    var waiting = [row]
    var seen: Set<TouchedRow> = [row]
    while let next = waiting.popLast(), seen.count < UnsavedChange.limit {
      try touch(next)
      let table = try context.table(next.table)
      let relationships = table.relationships.filter { $0.kind == .toMany }
      guard next.key.values.count == 1 else {
        if !relationships.isEmpty { isReachComplete = false }
        continue
      }
      for relationship in relationships {
        let target = try context.table(relationship.target)
        let rows = try context.rows(
          TableQuery.related(relationship.name, of: next.key.values, in: table.name, to: target.name)
            .limit(UnsavedChange.limit))
        if rows.count == UnsavedChange.limit { isReachComplete = false }
        for related in rows.compactMap({ RowKey(of: $0, in: target) }).map({ TouchedRow(table: target.name, key: $0) })
        where seen.insert(related).inserted {
          try touch(related)
          if relationship.deleteRule == .cascade { waiting.append(related) }
        }
      }
    }
    if !waiting.isEmpty { isReachComplete = false }
  }
}

extension TableDescription {
  /// Returns the stored values of texts that a person wrote, by the names of their properties.
  ///
  /// - Parameter row: The row whose values they replace; nil for a new one.
  fileprivate func values(parsing texts: [String: String?], replacing row: Row? = nil) throws -> [String: Value] {
    var values: [String: Value] = [:]
    for (name, text) in texts {
      guard let property = property(name) else {
        throw Refusal(
          .notFound, "\(title) has no property \(name). The program may have changed its tables: reload the page.")
      }
      guard let text else {
        values[name] = .null
        continue
      }
      do {
        values[name] = try property.value(parsing: text, replacing: row?[property.name] ?? .null)
      } catch let error as StoreError {
        var refusal = Refusal(error)
        refusal.body.model = title
        refusal.body.property = name
        throw refusal
      }
    }
    return values
  }
}

extension TableDescription.Property {
  /// Returns the stored value of a text that a person wrote. In a column without a type, a value keeps its kind.
  fileprivate func value(parsing text: String, replacing old: Value) throws -> Value {
    guard type == .any else { return try value(parsing: text) }
    switch old {
    case .text: return .text(text)
    case .integer, .real: return try value(parsing: text)
    case .blob:
      guard let data = Data(base64Encoded: text) else {
        throw Refusal(.unprocessableContent, "\(name) has bytes. Choose a file with others, or change it with SQL.")
      }
      return .blob(data)
    case .null:
      // A number is one only if it is shown as it was written: 007 is a text.
      let number = try value(parsing: text)
      return number.plainText == text ? number : .text(text)
    }
  }
}
