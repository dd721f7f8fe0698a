public import Foundation

/// A sort that is chosen at run time, by the name of a property, such as with a click on the header of a table.
///
/// ```swift
/// let terms = [try SortTerm<Note>(property: column, order: .reverse), SortTerm(\.title)]
/// let notes = try await store.fetch(Note.all.sorted(using: terms))
/// ```
///
/// It is `Codable`, so a program can keep the choice of its user.
public struct SortTerm<M: Model>: Sendable, Hashable {
  /// The name of the property; through a reference or in an embedded struct with dots, such as `account.name`.
  public let property: String
  /// The direction.
  public var order: SortOrder
  fileprivate let node: SQLNode

  /// Creates the sort by a property.
  ///
  /// - Parameters:
  ///   - path: The property, also one that is reached through a reference.
  ///   - order: `.forward`, the default, or `.reverse`.
  public init<Root: Model, Output>(_ path: KeyPath<M.Columns, Column<Root, Output>>, order: SortOrder = .forward) {
    node = M.columns[keyPath: path].expression.node
    property = SortableProperty(node, in: M.self)?.name ?? M.columns[keyPath: path].property
    self.order = order
  }

  /// Creates the sort by the property with a name.
  ///
  /// - Parameters:
  ///   - property: The name of a property, also of one that is reached through a reference: `account.name`.
  ///   - order: `.forward`, the default, or `.reverse`.
  /// - Throws: ``StoreError`` `.notFound`, with the names that there are, if the model has no such property.
  public init(property: String, order: SortOrder = .forward) throws {
    node = try SortableProperty(named: property, in: M.self).node
    self.property = property
    self.order = order
  }
}

extension SortTerm {
  public static func == (left: SortTerm, right: SortTerm) -> Bool {
    left.property == right.property && left.order == right.order
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(property)
    hasher.combine(order)
  }
}

extension SortTerm: Codable {
  private enum CodingKeys: CodingKey {
    case property, order
  }

  /// Decodes the name of the property and the direction. Throws a `DecodingError` if the model has no such property.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let property = try container.decode(String.self, forKey: .property)
    do {
      try self.init(property: property, order: container.decode(SortOrder.self, forKey: .order))
    } catch let error as StoreError {
      throw DecodingError.dataCorruptedError(
        forKey: .property, in: container, debugDescription: error.message)
    }
  }

  /// Encodes the name of the property and the direction.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(property, forKey: .property)
    try container.encode(order, forKey: .order)
  }
}

extension Query {
  /// Returns the query, sorted by terms that are chosen at run time, like ``sorted(by:order:)``.
  ///
  /// - Parameter terms: The sorts, the most important one first.
  /// - Returns: A new query; this one doesn't change.
  public func sorted(using terms: [SortTerm<M>]) -> Query {
    var query = self
    query.sorts += terms.map { QuerySort(node: $0.node, isDescending: $0.order == .reverse) }
    return query
  }
}

/// A property by which rows can be sorted, found by its name or by its node.
private struct SortableProperty {
  let name: String
  let node: SQLNode
  /// The model that a reference leads to.
  private let target: (any Model.Type)?

  /// - Throws: ``StoreError`` `.notFound` if the model has no property with the name.
  init<M: Model>(named name: String, in model: M.Type) throws {
    let schema = M.schema
    if let column = schema.columns.first(where: { $0.property == name }) {
      self.init(name, schema.node(for: column), schema.target(ofColumn: column.name))
      return
    }
    guard let dot = name.firstIndex(of: "."),
      let column = schema.columns.first(where: { $0.property == name[..<dot] }),
      let target = schema.target(ofColumn: column.name)
    else {
      throw StoreError(
        .notFound, model: schema.modelName,
        "\(schema.modelName) has no property \"\(name)\" to sort by; it has \(schema.columns.map(\.property).joined(separator: ", "))."
      )
    }
    func found<Target: Model>(_ target: Target.Type) throws -> SortableProperty {
      let rest = try SortableProperty(named: String(name[name.index(after: dot)...]), in: target)
      let scope = ColumnScope.related(schema.node(for: column), key: Target.schema.keyReference)
      let isOptional = column.type.isOptional
      let node = rest.node.replacingRoot { own in
        var own = own
        own.type.isOptional = own.type.isOptional || isOptional
        return scope.node(for: own)
      }
      return SortableProperty(name, node, rest.target)
    }
    self = try found(target)
  }

  /// Returns nil for a node that isn't a property.
  init?<M: Model>(_ node: SQLNode, in model: M.Type) {
    switch node {
    case .column(let reference):
      guard let column = M.schema.columns.first(where: { $0.name == reference.name }) else { return nil }
      self.init(column.property, node, M.schema.target(ofColumn: column.name))
    case .related(let base, let reference, _):
      guard let base = SortableProperty(base, in: model), let target = base.target else { return nil }
      func found<Target: Model>(_ target: Target.Type) -> SortableProperty? {
        Target.schema.columns.first { $0.name == reference.name }.map { column in
          SortableProperty("\(base.name).\(column.property)", node, Target.schema.target(ofColumn: column.name))
        }
      }
      guard let property = found(target) else { return nil }
      self = property
    default: return nil
    }
  }

  private init(_ name: String, _ node: SQLNode, _ target: (any Model.Type)?) {
    (self.name, self.node, self.target) = (name, node, target)
  }
}

extension ModelSchema {
  /// Returns the model that a reference leads to; nil for every other column.
  fileprivate func target(ofColumn name: String) -> (any Model.Type)? {
    references.first { $0.name == name }?.target
  }
}

extension SQLNode {
  /// Returns a property's node with the column of the model's own table replaced.
  fileprivate func replacingRoot(_ replace: (ColumnReference) -> SQLNode) -> SQLNode {
    switch self {
    case .column(let column) where column.source == .root: replace(column)
    case .related(let base, let column, let key): .related(base.replacingRoot(replace), column, key: key)
    default: self
    }
  }
}
