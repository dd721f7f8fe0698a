/// Rejects a query with a property that no document has, if a similar one exists.
struct DocumentPathCheck {
  private let collection: DocumentCatalogue.Collection
  private let name: String
  private let connection: Connection

  init(_ collection: DocumentCatalogue.Collection, _ name: String, _ connection: Connection) {
    self.collection = collection
    self.name = name
    self.connection = connection
  }

  /// Throws ``StoreError`` `.schemaMismatch` for a property that the collection has never had, and for a path in a
  /// property that no document has although a similar one exists.
  ///
  /// - Complexity: Searches the documents for a path of several names until one has it, once for each connection.
  func check(_ query: DocumentQuery) throws {
    let paths = try query.paths()
    guard query.validatesProperties, !collection.properties.isEmpty else { return }
    for path in paths where !path.isKey {
      guard collection.known.contains(ExactText(path.property)) else {
        throw unknown(
          path,
          NearestName(to: path.property, among: collection.properties + ["key"]).name.map {
            replacing(0, by: $0, in: path)
          })
      }
      try checkInner(path)
    }
  }

  private func checkInner(_ path: DocumentPath) throws {
    guard path.steps.count > 1, !connection.documents.hasSeen(path, in: collection.id) else { return }
    guard try !exists(path) else { return connection.documents.noteSeen(path, in: collection.id) }
    for (position, step) in path.steps.enumerated().dropFirst() {
      guard case .name(let wanted) = step else { continue }
      let outer = DocumentPath(path.steps[..<position])
      let names = try names(in: outer)
      guard !names.contains(where: { ExactText($0) == ExactText(wanted) }) else { continue }
      // A name that no document has yet isn't an error by itself; one that resembles an existing name probably is a
      // mistake.
      guard let nearest = NearestName(to: wanted, among: names).name else { return }
      throw unknown(path, replacing(position, by: nearest, in: path))
    }
  }

  private func exists(_ path: DocumentPath) throws -> Bool {
    let table = Quoting.name(name)
    return try !connection.query("SELECT 1 FROM main.\(table) WHERE \(DocumentSQL.type(path)) IS NOT NULL LIMIT 1")
      .isEmpty
  }

  /// Returns the names of the objects at the path in some hundreds of documents.
  private func names(in path: DocumentPath) throws -> [String] {
    let table = Quoting.name(name)
    let value = DocumentSQL.value(path, of: "larder_document")
    let rows = try connection.query(
      """
      SELECT DISTINCT larder_member.key AS name FROM
      (SELECT json FROM main.\(table) WHERE \(DocumentSQL.type(path)) = 'object' LIMIT 500) AS larder_document,
      json_each(\(value)) AS larder_member LIMIT 500
      """)
    return rows.compactMap { $0["name"]?.text }
  }

  private func replacing(_ position: Int, by name: String, in path: DocumentPath) -> DocumentPath {
    var steps = path.steps
    steps[position] = .name(name)
    return DocumentPath(steps[...])
  }

  private func unknown(_ path: DocumentPath, _ nearest: DocumentPath?) -> StoreError {
    let isName = path.steps.count == 1
    let name = isName ? path.property : path.description
    if let nearest, nearest.description == path.description {
      return StoreError(
        .schemaMismatch, model: self.name, property: name,
        "No document of \(self.name) has a property \(name) of these Unicode scalars: documents write the same characters with others. Write the name as they do, or pass validatesProperties: false."
      )
    }
    let hint =
      nearest.map {
        "Did you mean \(isName ? $0.property : $0.description)? If not, pass validatesProperties: false, which asks for it all the same."
      }
      ?? "Correct the name, or pass validatesProperties: false to ask for it all the same."
    return StoreError(
      .schemaMismatch, model: self.name, property: name, "No document of \(self.name) has a property \(name). \(hint)")
  }
}
