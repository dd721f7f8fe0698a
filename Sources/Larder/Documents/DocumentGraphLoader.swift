/// Reads documents and the documents that they refer to, level by level, with one statement for each level and
/// collection.
///
/// All reads happen in one view of the file, which the caller has opened.
struct DocumentGraphLoader {
  private let connection: Connection
  private let links: [ParsedDocumentLink]
  private let depth: Int?
  private(set) var graph = DocumentGraph()
  /// The values of untyped documents, for references that know their type.
  private var documents: [DocumentAddress: Document] = [:]
  /// The types of typed collections, by their folded names.
  private var types: [String: any (Codable & Sendable).Type] = [:]
  /// The documents of the next level, each once.
  private var wanted: [DocumentAddress] = []
  private var isWanted: Set<DocumentAddress> = []
  /// The collections of the documents that were found.
  private var collections: Set<String> = []

  /// Throws ``StoreError`` `.invalidValue` for a link that isn't a path and for a negative depth.
  init(_ links: [DocumentLink], depth: Int?, _ connection: Connection) throws {
    if let depth, depth < 0 {
      throw StoreError(
        .invalidValue,
        "The depth of references to follow is negative. Give the number of levels, 0 or more, or nil for all of them.")
    }
    self.links = try links.map { try ParsedDocumentLink($0) }
    self.depth = depth
    self.connection = connection
  }

  /// Reads the documents with the keys, and the documents that they refer to.
  ///
  /// - Returns: The documents with the keys, in the order of the keys, each once.
  mutating func load<Content: Codable & Sendable>(
    _ keys: [String], of collection: String, as type: Content.Type
  ) throws -> [KeyedValue<Content>] {
    if type != Document.self { types[collection.foldedTableName] = type }
    let roots = distinct(keys.map { DocumentAddress(collection, $0) })
    try read(roots, of: collection, as: type)
    var level = 0
    while !wanted.isEmpty, depth.map({ level < $0 }) ?? true {
      level += 1
      try readLevel()
    }
    return roots.compactMap { address in
      (graph.value(at: address) as? Content).map { KeyedValue(key: address.key, value: $0) }
    }
  }

  private func distinct(_ addresses: [DocumentAddress]) -> [DocumentAddress] {
    var seen: Set<DocumentAddress> = []
    return addresses.filter { seen.insert($0).inserted }
  }

  // MARK: Reading

  /// Reads the documents that those of the previous level refer to.
  private mutating func readLevel() throws {
    var names: [String] = []
    var groups: [String: [DocumentAddress]] = [:]
    // Documents of one level may refer to one another.
    for address in wanted where !graph.isKnown(address) {
      let name = address.collection.foldedTableName
      if groups[name] == nil { names.append(name) }
      groups[name, default: []].append(address)
    }
    wanted.removeAll()
    isWanted.removeAll()
    for name in names {
      guard let addresses = groups[name], let first = addresses.first else { continue }
      let type: any (Codable & Sendable).Type = types[name] ?? Document.self
      try read(addresses, of: first.collection, as: type)
    }
  }

  private mutating func read<Content: Codable & Sendable>(
    _ addresses: [DocumentAddress], of collection: String, as type: Content.Type
  ) throws {
    let coding = DocumentCoding<Content>(collection: collection)
    try DocumentTable(collection).on(connection).forEach(addresses.map(\.key)) { key, json in
      let document = try DocumentReader.document(json, of: key, in: collection)
      try add(key, document, coding)
    }
    for address in addresses where !graph.isKnown(address) { graph.note(.missing, at: address) }
  }

  private mutating func add<Content: Codable & Sendable>(
    _ key: String, _ document: Document, _ coding: DocumentCoding<Content>
  ) throws {
    let address = DocumentAddress(coding.collection, key)
    let references = DocumentReferences()
    let value = try coding.decode(key, document, references: references)
    collections.insert(coding.collection)
    graph.note(.value(value, isChanged: false), at: address)
    if Content.self == Document.self { documents[address] = document }
    try follow(references.found, in: document, of: coding.collection, isTyped: Content.self != Document.self)
  }

  // MARK: Following

  /// Records the references in a document: those at the links' paths or, without links, all that its type declares.
  private mutating func follow(
    _ references: [DocumentReferences.Reference], in document: Document, of collection: String, isTyped: Bool
  ) throws {
    guard !links.isEmpty else {
      for reference in references { try want(reference.key, of: reference.target) }
      return
    }
    // Compared as text, because a type may spell a collection's name in a different but equal form.
    let known = Dictionary(
      references.map { (DocumentPath($0.path[...]).description, $0) }, uniquingKeysWith: { first, _ in first })
    for link in links where link.isFor(collection) {
      try link.forEachText(in: document) { path, text in
        if let reference = known[DocumentPath(path[...]).description] {
          try want(reference.key, of: reference.target)
        } else if let target = link.link.target {
          want(DocumentAddress(target, text))
        } else if !isTyped {
          throw StoreError(
            .invalidValue, model: collection, property: link.link.path,
            "\(link.link.path) has no type in \(collection) that says where it leads. Name the collection: DocumentLink(\"\(link.link.path)\", to: …)."
          )
        }
      }
    }
  }

  private mutating func want(_ key: String, of type: any StoredDocument.Type) throws {
    let address = DocumentAddress(type.collection, key)
    let name = type.collection.foldedTableName
    if let other = types[name], other != type {
      throw StoreError(
        .schemaMismatch, model: type.collection,
        "The documents of \(type.collection) are referred to as \(other) and as \(type). Refer to one collection with one type."
      )
    }
    types[name] = type
    // It was read without a type on an earlier level.
    if let document = documents.removeValue(forKey: address) { return try replace(document, at: address, type) }
    want(address)
  }

  private mutating func replace<Content: StoredDocument>(
    _ document: Document, at address: DocumentAddress, _ type: Content.Type
  ) throws {
    try add(address.key, document, DocumentCoding<Content>(collection: address.collection))
  }

  private mutating func want(_ address: DocumentAddress) {
    guard !graph.isKnown(address), isWanted.insert(address).inserted else { return }
    wanted.append(address)
  }

  // MARK: Names

  /// Throws ``StoreError`` `.schemaMismatch` for a link whose property no document of the file has ever had, if a
  /// similar one exists.
  ///
  /// Otherwise it isn't an error, because a later document may have the property.
  func checkLinks() throws {
    for link in links where link.property != "key" {
      let read = try collections.filter(link.isFor).sorted().compactMap { name in
        try connection.documents.collection(name).map { (name: name, collection: $0) }
      }
      guard !read.contains(where: { $0.collection.properties.contains(link.property) }) else { continue }
      if link.link.source == nil {
        let isKnown = try connection.documents.names().contains { name in
          try connection.documents.collection(name)?.properties.contains(link.property) == true
        }
        if isKnown { continue }
      }
      for (name, collection) in read {
        guard let nearest = NearestName(to: link.property, among: collection.properties).name else { continue }
        throw StoreError(
          .schemaMismatch, model: name, property: link.property,
          "No document of \(name) has a property \(link.property), which \(link.link.path) is to follow. Did you mean \(nearest)? If not, pass validatesProperties: false."
        )
      }
    }
  }
}
