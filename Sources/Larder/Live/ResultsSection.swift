extension Store {
  /// The rows of the query in sections, now and again after each commit that touches what the query reads.
  ///
  /// ```swift
  /// let byFolder = Note.all.sorted(by: \.folder).sorted(by: \.title)
  /// for try await sections in store.live(byFolder, sectionedBy: \.folder) {
  ///   for section in sections { show(section.key, Array(section)) }
  /// }
  /// ```
  ///
  /// Sections come in the order in which their first rows do, and in each the rows have the query's order. Sort by what makes the sections first;
  /// rows of one section that do not stand together in the query's order are put together all the same.
  ///
  /// - Parameters:
  ///   - query: The rows.
  ///   - key: A property, or what is computed from a row, such as `{ calendar.startOfDay(for: $0.createdAt) }`.
  /// - Throws: While iterating, what ``Store/fetch(_:)-(Query<M>)`` throws; then the sequence is at its end.
  public func live<M: Model, Key: Hashable & Sendable>(
    _ query: Query<M>, sectionedBy key: @escaping @Sendable (M) -> Key
  ) -> LiveResults<[ResultsSection<Key, M>]> {
    LiveResults(store: self) { ResultsSection.sections(of: try $0.fetch(query), by: key) }
  }
}

/// Rows of a query that share a key. Made by ``Store/live(_:sectionedBy:)``.
public struct ResultsSection<Key: Hashable & Sendable, M: Model>: Sendable, Identifiable {
  /// What the rows share.
  public let key: Key
  /// The rows, in the query's order; never none.
  public private(set) var elements: [M]

  /// What tells the section from the others of one result: the key, of which texts are compared as the file does it, byte by byte.
  public var id: ID { ID(key) }

  /// The identity of a section: texts that Swift takes for the same, and the file does not, are different ones.
  public struct ID: Hashable, Sendable {
    private let key: Key
    /// What the key has of texts.
    private let texts: [String]

    init(_ key: Key) {
      self.key = key
      texts =
        switch key {
        case let text as String: [text]
        case let texts as [String]: texts
        case let value as any RawRepresentable: (value.rawValue as? String).map { [$0] } ?? []
        default: []
        }
    }

    public static func == (left: ID, right: ID) -> Bool {
      left.key == right.key && left.texts.elementsEqual(right.texts) { $0.utf8.elementsEqual($1.utf8) }
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
  }

  static func sections(of values: [M], by key: (M) -> Key) -> [ResultsSection] {
    var sections: [ResultsSection] = []
    var positions: [ID: Int] = [:]
    var last: ID?
    var current = 0
    for value in values {
      let key = key(value)
      let exact = ID(key)
      defer { last = exact }
      if last == exact {
        // Rows of one section mostly stand together.
        sections[current].elements.append(value)
      } else if let position = positions[exact] {
        current = position
        sections[position].elements.append(value)
      } else {
        current = sections.count
        positions[exact] = sections.count
        sections.append(ResultsSection(key: key, elements: [value]))
      }
    }
    return sections
  }
}

extension ResultsSection: RandomAccessCollection {
  public var startIndex: Int { elements.startIndex }
  public var endIndex: Int { elements.endIndex }
  public subscript(position: Int) -> M { elements[position] }
}

extension ResultsSection: Equatable where M: Equatable {}
extension ResultsSection: Hashable where M: Hashable {}
