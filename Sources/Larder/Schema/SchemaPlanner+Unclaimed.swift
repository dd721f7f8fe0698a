extension SchemaPlanner {
  /// Returns notes for what may be a renamed struct: a model's table has no rows yet, and one with similar columns
  /// belongs to no model.
  func unclaimedTables() throws -> [String] {
    guard hasCatalogue else { return [] }
    let own = Set(tables.map(\.name.asciiLowercased))
    var unclaimed: [(name: String, entry: Catalogue.Entry)] = []
    for name in try Catalogue.tables(in: connection) where !own.contains(name.asciiLowercased) {
      guard let entry = try Catalogue.entry(of: name, in: connection),
        try TableState.read(name, from: connection) != nil,
        try !connection.query("SELECT 1 FROM \(Quoting.name(name)) LIMIT 1").isEmpty
      else { continue }
      unclaimed.append((name, entry))
    }
    guard !unclaimed.isEmpty else { return [] }
    return try tables.filter(isEmpty).flatMap { table in
      unclaimed.filter { Self.resembles($0.entry, table) }.map { name, _ in
        "The table \(table.name) of \(table.model) is empty, and \(name), which belongs to no model of the program, has rows with such columns. If \(table.model) is the new name of \(name), mark it @Model(\"\(name)\"). If not, drop \(name) in a migration."
      }
    }
  }

  /// Returns whether the table has no rows, or is yet to be created.
  private func isEmpty(_ table: TableDefinition) throws -> Bool {
    guard try TableState.read(table.name, from: connection) != nil else { return true }
    return try connection.query("SELECT 1 FROM \(Quoting.name(table.name)) LIMIT 1").isEmpty
  }

  /// Returns whether the key and at least half of the other columns are the same.
  private static func resembles(_ entry: Catalogue.Entry, _ table: TableDefinition) -> Bool {
    func names(_ columns: [(name: String, isKey: Bool)], keys: Bool) -> Set<String> {
      Set(columns.filter { $0.isKey == keys }.map(\.name.asciiLowercased))
    }
    let old = entry.columns.map { (name: $0.name, isKey: $0.isKey) }
    let new = table.columns.map { (name: $0.name, isKey: $0.isKey) }
    guard names(old, keys: true) == names(new, keys: true) else { return false }
    let (former, present) = (names(old, keys: false), names(new, keys: false))
    return former.intersection(present).count * 2 >= max(former.count, present.count, 1)
  }
}
