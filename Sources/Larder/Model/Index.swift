/// An index over one or several properties of a model.
///
/// ```swift
/// static var indexes: [Index<Self>] {
///   [Index(\.author, \.year), Index(\.isbn, \.edition, unique: true)]
/// }
/// ```
public struct Index<Root: Model>: Sendable {
  let columns: [any AnyColumn<Root>]
  let isUnique: Bool

  /// Creates an index.
  ///
  /// - Parameters:
  ///   - paths: The properties, most significant first.
  ///   - unique: Whether no two rows may have the same values; NULL equals nothing.
  public init(_ paths: PartialKeyPath<Root.Columns>..., unique: Bool = false) {
    columns = paths.map { path in
      guard let column = Root.columns[keyPath: path] as? any AnyColumn<Root> else {
        preconditionFailure(
          "\(Root.self).indexes: \(path) is not a stored property; name the columns of an embedded struct one by one")
      }
      return column
    }
    isUnique = unique
  }
}
