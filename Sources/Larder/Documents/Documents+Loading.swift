extension BlockingDocuments where Content: Sendable {
  /// Loads the document with the key and the documents that it refers to, all as of one commit.
  ///
  /// ```swift
  /// guard let (order, graph) = try db.documents(Order.self).load("o1", following: "customer", "lines[*].product") else { return }
  /// print(graph[order.customer]?.name ?? "a customer who is gone")
  /// ```
  ///
  /// A target that doesn't exist isn't an error; the graph lists it as missing. Each document is read once, even if
  /// references form cycles.
  ///
  /// - Parameters:
  ///   - key: The key of the document.
  ///   - links: The references to follow, in every document that is read. Without links, each ``DocumentReference`` of
  ///     the types is followed.
  ///   - depth: The number of levels of references to follow; nil for all.
  ///   - validatesProperties: Whether a property that no document ever had is an error if a similar one exists.
  /// - Returns: The document, and a graph with it and all documents that were found; nil if no document has the key.
  /// - Throws: ``StoreError`` `.invalidValue` if a document can't be decoded, if a link isn't a valid path or has no
  ///   known target, and for a negative depth; `.schemaMismatch` for a misspelled property, and if references use two
  ///   types for one collection; and the errors of any read.
  /// - Complexity: One statement for each level and collection, however many documents there are.
  public func load(
    _ key: String, following links: DocumentLink..., depth: Int? = nil, validatesProperties: Bool = true
  ) throws -> (document: Content, graph: DocumentGraph)? {
    let (documents, graph) = try load([key], links, depth: depth, validatesProperties: validatesProperties)
    return documents.first.map { ($0.value, graph) }
  }

  /// Loads the documents with the keys and the documents that they refer to, all as of one commit.
  ///
  /// - Parameters:
  ///   - keys: The keys of the documents.
  ///   - links: The references to follow, in every document that is read. Without links, each ``DocumentReference`` of
  ///     the types is followed.
  ///   - depth: The number of levels of references to follow; nil for all.
  ///   - validatesProperties: Whether a property that no document ever had is an error if a similar one exists.
  /// - Returns: The documents that exist, in the order of the keys, and a graph with them and all documents that were
  ///   found.
  /// - Throws: The errors of `load` with one key.
  /// - Complexity: One statement for each level and collection, however many documents there are.
  public func load(
    _ keys: some Sequence<String>, following links: DocumentLink..., depth: Int? = nil, validatesProperties: Bool = true
  ) throws -> (documents: [KeyedValue<Content>], graph: DocumentGraph) {
    try load(Array(keys), links, depth: depth, validatesProperties: validatesProperties)
  }

  func load(
    _ keys: [String], _ links: [DocumentLink], depth: Int?, validatesProperties: Bool
  ) throws -> (documents: [KeyedValue<Content>], graph: DocumentGraph) {
    try access._read(isReentrant: true) { access in
      let connection = access.connection
      return try connection.inOneView {
        var loader = try DocumentGraphLoader(links, depth: depth, connection)
        let documents = try loader.load(keys, of: name, as: Content.self)
        if validatesProperties { try loader.checkLinks() }
        return (documents, loader.graph)
      }
    }
  }
}

extension Documents where Content: Sendable {
  /// Loads the document with the key and the documents that it refers to, all as of one commit.
  ///
  /// ```swift
  /// guard let (order, graph) = try await store.documents(Order.self).load("o1", following: "customer", "lines[*].product") else { return }
  /// print(graph[order.customer]?.name ?? "a customer who is gone")
  /// ```
  ///
  /// A target that doesn't exist isn't an error; the graph lists it as missing. Each document is read once, even if
  /// references form cycles.
  ///
  /// - Parameters:
  ///   - key: The key of the document.
  ///   - links: The references to follow, in every document that is read. Without links, each ``DocumentReference`` of
  ///     the types is followed.
  ///   - depth: The number of levels of references to follow; nil for all.
  ///   - validatesProperties: Whether a property that no document ever had is an error if a similar one exists.
  /// - Returns: The document, and a graph with it and all documents that were found; nil if no document has the key.
  /// - Throws: ``StoreError`` `.invalidValue` if a document can't be decoded, if a link isn't a valid path or has no
  ///   known target, and for a negative depth; `.schemaMismatch` for a misspelled property, and if references use two
  ///   types for one collection; and the errors of any read.
  /// - Complexity: One statement for each level and collection, however many documents there are.
  public func load(
    _ key: String, following links: DocumentLink..., depth: Int? = nil, validatesProperties: Bool = true
  ) async throws -> (document: Content, graph: DocumentGraph)? {
    let (documents, graph) = try await store.read { [name] db in
      try BlockingDocuments<Snapshot, Content>(name, db).load(
        [key], links, depth: depth, validatesProperties: validatesProperties)
    }
    return documents.first.map { ($0.value, graph) }
  }

  /// Loads the documents with the keys and the documents that they refer to, all as of one commit.
  ///
  /// - Parameters:
  ///   - keys: The keys of the documents.
  ///   - links: The references to follow, in every document that is read. Without links, each ``DocumentReference`` of
  ///     the types is followed.
  ///   - depth: The number of levels of references to follow; nil for all.
  ///   - validatesProperties: Whether a property that no document ever had is an error if a similar one exists.
  /// - Returns: The documents that exist, in the order of the keys, and a graph with them and all documents that were
  ///   found.
  /// - Throws: The errors of `load` with one key.
  /// - Complexity: One statement for each level and collection, however many documents there are.
  public func load(
    _ keys: some Sequence<String>, following links: DocumentLink..., depth: Int? = nil, validatesProperties: Bool = true
  ) async throws -> (documents: [KeyedValue<Content>], graph: DocumentGraph) {
    let keys = Array(keys)
    return try await store.read { [name] db in
      try BlockingDocuments<Snapshot, Content>(name, db).load(
        keys, links, depth: depth, validatesProperties: validatesProperties)
    }
  }
}
