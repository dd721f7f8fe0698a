extension BlockingDocuments where Value: Sendable {
  /// The document with the key, and the documents that it refers to, as of one commit; nil if there is none with the key.
  ///
  /// ```swift
  /// guard let (order, graph) = try db.documents(Order.self).load("o1", following: "customer", "lines[*].product") else { return }
  /// print(graph[order.customer]?.name ?? "a customer who is gone")
  /// ```
  ///
  /// A target that is not there is no error: the graph has it as missing. Each document is read once, whatever circles the references make.
  ///
  /// - Parameters:
  ///   - key: The key of the document.
  ///   - links: Which references to follow, in every document that is read. Without links, each ``DocumentReference`` that the types have.
  ///   - depth: How many levels of references to follow; nil for as far as they lead.
  ///   - validatesProperties: Whether a property that no document ever had is an error if there is a similar one.
  /// - Returns: The document, and a graph with it and all that was found.
  /// - Throws: ``StoreError`` `.invalidValue` for a document that does not decode, a link that isn't a path or doesn't say where it leads, and a
  ///   negative depth; `.schemaMismatch` for a property that was misspelt, and if references name two types for one collection.
  /// - Complexity: One statement for each level and collection, however many documents there are.
  public func load(
    _ key: String, following links: DocumentLink..., depth: Int? = nil, validatesProperties: Bool = true
  ) throws -> (document: Value, graph: DocumentGraph)? {
    let (documents, graph) = try load([key], links, depth: depth, validatesProperties: validatesProperties)
    return documents.first.map { ($0.value, graph) }
  }

  /// The documents with the keys that are there, in the order of the keys, and the documents that they refer to, as of one commit.
  ///
  /// It follows references and throws as `load` of one key.
  ///
  /// - Complexity: One statement for each level and collection, however many documents there are.
  public func load(
    _ keys: some Sequence<String>, following links: DocumentLink..., depth: Int? = nil, validatesProperties: Bool = true
  ) throws -> (documents: [KeyedValue<Value>], graph: DocumentGraph) {
    try load(Array(keys), links, depth: depth, validatesProperties: validatesProperties)
  }

  func load(
    _ keys: [String], _ links: [DocumentLink], depth: Int?, validatesProperties: Bool
  ) throws -> (documents: [KeyedValue<Value>], graph: DocumentGraph) {
    try access._read(isReentrant: true) { access in
      let connection = access.connection
      return try connection.inOneView {
        var loader = try DocumentGraphLoader(links, depth: depth, connection)
        let documents = try loader.load(keys, of: name, as: Value.self)
        if validatesProperties { try loader.checkLinks() }
        return (documents, loader.graph)
      }
    }
  }
}

extension Documents where Value: Sendable {
  /// The document with the key, and the documents that it refers to, as of one commit; nil if there is none with the key.
  ///
  /// ```swift
  /// guard let (order, graph) = try await store.documents(Order.self).load("o1", following: "customer", "lines[*].product") else { return }
  /// print(graph[order.customer]?.name ?? "a customer who is gone")
  /// ```
  ///
  /// A target that is not there is no error: the graph has it as missing. Each document is read once, whatever circles the references make.
  ///
  /// - Parameters:
  ///   - key: The key of the document.
  ///   - links: Which references to follow, in every document that is read. Without links, each ``DocumentReference`` that the types have.
  ///   - depth: How many levels of references to follow; nil for as far as they lead.
  ///   - validatesProperties: Whether a property that no document ever had is an error if there is a similar one.
  /// - Returns: The document, and a graph with it and all that was found.
  /// - Throws: ``StoreError`` `.invalidValue` for a document that does not decode, a link that isn't a path or doesn't say where it leads, and a
  ///   negative depth; `.schemaMismatch` for a property that was misspelt, and if references name two types for one collection.
  /// - Complexity: One statement for each level and collection, however many documents there are.
  public func load(
    _ key: String, following links: DocumentLink..., depth: Int? = nil, validatesProperties: Bool = true
  ) async throws -> (document: Value, graph: DocumentGraph)? {
    let (documents, graph) = try await store.read { [name] db in
      try BlockingDocuments<Snapshot, Value>(name, db).load([key], links, depth: depth, validatesProperties: validatesProperties)
    }
    return documents.first.map { ($0.value, graph) }
  }

  /// The documents with the keys that are there, in the order of the keys, and the documents that they refer to, as of one commit.
  ///
  /// It follows references and throws as `load` of one key.
  ///
  /// - Complexity: One statement for each level and collection, however many documents there are.
  public func load(
    _ keys: some Sequence<String>, following links: DocumentLink..., depth: Int? = nil, validatesProperties: Bool = true
  ) async throws -> (documents: [KeyedValue<Value>], graph: DocumentGraph) {
    let keys = Array(keys)
    return try await store.read { [name] db in
      try BlockingDocuments<Snapshot, Value>(name, db).load(keys, links, depth: depth, validatesProperties: validatesProperties)
    }
  }
}
