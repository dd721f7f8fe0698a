extension Store {
  /// Returns the rows of the query in sections, now and after each commit that affects the query.
  ///
  /// ```swift
  /// let byFolder = Note.all.sorted(by: \.folder).sorted(by: \.title)
  /// for try await sections in store.live(byFolder, sectionedBy: \.folder) {
  ///   for section in sections { show(section.key, Array(section)) }
  /// }
  /// ```
  ///
  /// Sections are in the order of their first rows, and the rows of each are in the query's order. Sort by the
  /// section's key first; rows of a section that aren't adjacent in the query's order are still grouped together.
  ///
  /// - Parameters:
  ///   - query: The condition and order of the rows.
  ///   - key: A property, or a value computed from a row, such as `{ calendar.startOfDay(for: $0.createdAt) }`.
  /// - Returns: A sequence that throws the errors of ``Store/fetch(_:)-(Query<M>)``, and then ends.
  public func live<M: Model, Key: Hashable & Sendable>(
    _ query: Query<M>, sectionedBy key: @escaping @Sendable (M) -> Key
  ) -> LiveResults<[ResultsSection<Key, M>]> {
    LiveResults(store: self) { ResultsSection.sections(of: try $0.fetch(query), by: key) }
  }
}

/// Rows of a query that share a key. See ``Store/live(_:sectionedBy:)``.
public struct ResultsSection<Key: Hashable & Sendable, M: Model>: Sendable, Identifiable {
  /// The key that the rows share.
  public let key: Key
  /// The rows, in the query's order; never empty.
  public private(set) var elements: [M]

  /// The identity of the section within one result: its key, with texts compared byte by byte, as in the file.
  public var id: ID { ID(key) }

  /// The identity of a section. Texts that are equal in Swift but differ in the file are different identities.
  public struct ID: Hashable, Sendable {
    private let key: Key
    /// The texts of the key.
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
        // Rows of one section are usually adjacent.
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
