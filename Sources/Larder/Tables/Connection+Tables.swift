import Foundation

/// Writes to tables whose Swift type the program doesn't know.
extension Connection {
  func insert(_ values: [String: Value], into name: String, expires date: Date?) throws -> [Value] {
    let table = try writableTable(name)
    // A key without a value is one that isn't given.
    let given = values.filter { !$1.isNull || table.property($0)?.isKey != true }
    var columns = try stored(given, of: table)
    let key = try table.key.map { property in
      if let value = columns[property.column] { return value }
      let made = try newKey(property, of: table)
      columns[property.column] = made
      return made
    }
    let missing = table.properties.filter { property in
      !property.isOptional && !property.isDerived && columns[property.column] == nil
    }
    guard missing.isEmpty else {
      let names = missing.map(\.name).joined(separator: ", ")
      throw StoreError(
        .invalidValue, model: table.title, property: missing[0].name,
        "\(table.title) has no value for \(names). Give one: the file doesn't know the defaults of the program.")
    }
    if let date { columns[Expiry.column] = try Expiry.stored(date, of: try expiring(table).title) }
    let names = columns.keys.sorted()
    let places = names.indices.map { Quoting.parameter($0 + 1) }
    try execute(
      "INSERT INTO \(Quoting.name(table.name)) (\(names.map(Quoting.name).joined(separator: ", "))) VALUES (\(places.joined(separator: ", ")))",
      names.map { columns[$0] ?? .null }, table)
    if let date { environment.clock.note(date.timeIntervalSinceReferenceDate) }
    return key
  }

  func update(_ values: [String: Value], of key: [Value], in name: String) throws {
    let table = try writableTable(name)
    for property in table.key where values[property.name] != nil || values[property.column] != nil {
      throw StoreError(
        .unsupported, model: table.title, property: property.name,
        "The key of a \(table.title) can't be changed. Insert a row with the other key, and delete this one.")
    }
    let columns = try stored(values, of: table)
    let found = try storedKey(of: table, key)
    guard !columns.isEmpty else { return }
    let names = columns.keys.sorted()
    let assignments = names.enumerated().map { "\(Quoting.name($1)) = \(Quoting.parameter($0 + 1))" }
    try execute(
      "UPDATE \(Quoting.name(table.name)) SET \(assignments.joined(separator: ", ")) WHERE \(isKey(of: table, from: names.count + 1))",
      names.map { columns[$0] ?? .null } + found, table)
  }

  func delete(_ query: TableQuery) throws -> Int {
    let table = try writableTable(query.table)
    let keys = try rows(query).map { row in table.key.map { row[$0.name] ?? .null } }
    for key in keys {
      try execute("DELETE FROM \(Quoting.name(table.name)) WHERE \(isKey(of: table, from: 1))", key, table)
    }
    return keys.count
  }

  func setExpiry(of key: [Value], in name: String, to date: Date?) throws {
    let table = try expiring(try writableTable(name))
    let time = try Expiry.stored(date, of: table.title)
    let found = try storedKey(of: table, key)
    try execute(
      "UPDATE \(Quoting.name(table.name)) SET \(Expiry.column) = ?1 WHERE \(isKey(of: table, from: 2))", [time] + found,
      table)
    if let seconds = time.real { environment.clock.note(seconds) }
  }

  func expiry(of key: [Value], in name: String) throws -> Date? {
    let table = try expiring(try description(of: name))
    let values = try zip(table.key, key).map { try table.naming($0, $1) }
    let rows = try rows(
      SQL(
        raw: "SELECT \(Expiry.column) AS time FROM \(Quoting.name(table.name)) WHERE \(isKey(of: table, from: 1))",
        arguments: values))
    return rows.first?["time"]?.real.map { Date(timeIntervalSinceReferenceDate: $0) }
  }

  // MARK: Parts

  private func execute(_ sql: String, _ arguments: [Value], _ table: TableDescription) throws {
    do {
      _ = try rows(SQL(raw: sql, arguments: arguments))
    } catch let error as StoreError {
      throw error.naming(table.title)
    }
  }

  private func writableTable(_ name: String) throws -> TableDescription {
    let table = try description(of: name)
    switch table.kind {
    case .model, .pairs, .table: break
    case .documents:
      throw StoreError(
        .unsupported, model: name, "\(name) is a collection of documents. Write it with store.documents(\"\(name)\").")
    case .view:
      throw StoreError(.unsupported, model: name, "\(name) is a view. Write to the tables that it shows.")
    }
    return table
  }

  private func expiring(_ table: TableDescription) throws -> TableDescription {
    guard table.expires, table.kind == .model else {
      throw StoreError(
        .unsupported, model: table.title,
        "Rows of \(table.title) do not expire. Mark the model @Model(expires: true) in the program that owns the file.")
    }
    return table
  }

  /// Returns the values by their columns, in the form in which they are stored.
  private func stored(_ values: [String: Value], of table: TableDescription) throws -> [String: Value] {
    var columns: [String: Value] = [:]
    for (name, value) in values {
      guard let property = table.property(name) else {
        let names = table.properties.map(\.name)
        let nearest = NearestName(to: name, among: names).name.map { "Did you mean \($0)?" }
        throw StoreError(
          .notFound, model: table.title, property: name,
          "\(table.title) has no property \(name). \(nearest ?? "It has \(names.formattedList).")")
      }
      guard !property.isDerived else {
        throw StoreError(
          .unsupported, model: table.title, property: name,
          "\(table.title).\(name) is derived and cannot be set. Change the rows that it is derived from.")
      }
      columns[property.column] = try table.naming(property, value)
    }
    return columns
  }

  /// Returns a key that no row has.
  private func newKey(_ property: TableDescription.Property, of table: TableDescription) throws -> Value {
    switch property.type {
    case .uuid where table.key.count == 1 && property.target == nil: return try UUID.v7().storedValue()
    case .integer where table.key.count == 1 && property.target == nil:
      let column = Quoting.name(property.column)
      let greatest = try rows(SQL(raw: "SELECT max(\(column)) AS value FROM \(Quoting.name(table.name))")).first?[
        "value"]
      let (next, isTooLarge) = (greatest?.integer ?? 0).addingReportingOverflow(1)
      guard !isTooLarge, property.columnType.integerRange?.contains(next) ?? true else { break }
      return .integer(next)
    default: break
    }
    throw StoreError(
      .invalidValue, model: table.title, property: property.name,
      "A new \(table.title) needs a \(property.name), which is a part of its key. Give it one.")
  }

  /// Returns the key of a row as it is stored. Throws `.notFound` if there is none.
  func storedKey(of table: TableDescription, _ key: [Value]) throws -> [Value] {
    guard let row = try rows(TableQuery(table.name).key(key)).first else {
      throw StoreError(
        .notFound, model: table.title, "There is no \(table.title) with this key. It may have been deleted.")
    }
    return table.key.map { row[$0.name] ?? .null }
  }

  private func isKey(of table: TableDescription, from parameter: Int) -> String {
    table.key.enumerated().map { "\(Quoting.name($1.column)) IS \(Quoting.parameter(parameter + $0))" }
      .joined(separator: " AND ")
  }
}
