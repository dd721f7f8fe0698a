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

  /// The key: sections of one result differ in it.
  public var id: Key { key }

  static func sections(of values: [M], by key: (M) -> Key) -> [ResultsSection] {
    var sections: [ResultsSection] = []
    var positions: [Key: Int] = [:]
    for value in values {
      let key = key(value)
      // Rows of one section mostly stand together.
      if let last = sections.indices.last, sections[last].key == key {
        sections[last].elements.append(value)
      } else if let position = positions[key] {
        sections[position].elements.append(value)
      } else {
        positions[key] = sections.count
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
