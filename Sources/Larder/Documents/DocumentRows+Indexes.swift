extension DocumentRows {
  /// An index in the file.
  private struct Index {
    let name: String
    let paths: [DocumentPath]
  }

  func index(_ properties: [String]) throws {
    let paths = try parse(properties)
    guard !paths.isEmpty else {
      throw StoreError(.invalidValue, model: name, "An index of \(name) has no properties. Name at least one.")
    }
    try writing {
      try connection.documents.prepare(name, [])
      guard try !stored().contains(where: { $0.paths == paths }) else { return }
      let expressions = paths.map { DocumentSQL.value($0) }.joined(separator: ", ")
      let index = Quoting.name(try freeName(of: paths))
      try connection.change("CREATE INDEX main.\(index) ON \(Quoting.name(name)) (\(expressions))")
    }
  }

  func removeIndex(_ properties: [String]) throws {
    let paths = try parse(properties)
    try writing {
      for index in try stored() where index.paths == paths {
        try connection.change("DROP INDEX main.\(Quoting.name(index.name))")
      }
    }
  }

  /// Returns the paths of each index, as text, oldest index first.
  func indexes() throws -> [[String]] {
    guard try connection.documents.collection(name) != nil else { return [] }
    return try stored().map { $0.paths.map(\.description) }
  }

  private func parse(_ properties: [String]) throws -> [DocumentPath] {
    try properties.map { try DocumentPath(parsing: $0) }
  }

  // MARK: Names

  private var prefix: String { "\(ReservedNames.prefix)index:\(name):" }

  private func stored() throws -> [Index] {
    let rows = try connection.query(
      "SELECT name FROM main.sqlite_master WHERE type = 'index' AND tbl_name = ?1 COLLATE NOCASE ORDER BY rowid",
      [.text(name)])
    return try rows.compactMap { row in
      guard let index = row["name"]?.text, index.asciiLowercased.hasPrefix(prefix.asciiLowercased) else { return nil }
      // A number may follow the array of paths.
      let rest = index.utf8.dropFirst(prefix.utf8.count)
      guard let end = rest.lastIndex(of: UInt8(ascii: "]")), let json = String(rest[...end]) else { return nil }
      guard let values = try? DocumentValue(json: json).array else { return nil }
      return Index(name: index, paths: try values.compactMap { try Self.path($0) })
    }
  }

  private static func path(_ value: DocumentValue) throws -> DocumentPath? {
    switch value {
    case .text(let name): DocumentPath(name)
    case .array(let steps): try steps.first?.text.map { try DocumentPath(parsing: $0) }
    default: nil
    }
  }

  /// Returns the name of a new index, which contains its paths: the name of a property, or the text of a longer path in
  /// its own array.
  ///
  /// SQLite ignores the case of index names, but the names of properties are case-sensitive.
  private func freeName(of paths: [DocumentPath]) throws -> String {
    let values = paths.map { $0.steps.count == 1 ? DocumentValue.text($0.property) : [.text($0.description)] }
    let base = prefix + (try DocumentWriter.json(of: values))
    var name = base
    var number = 1
    while try !connection.query("SELECT 1 FROM main.sqlite_master WHERE name = ?1 COLLATE NOCASE", [.text(name)])
      .isEmpty
    {
      number += 1
      name = "\(base)#\(number)"
    }
    return name
  }
}
