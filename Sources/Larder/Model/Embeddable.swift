public import Foundation

/// A struct whose properties are stored as columns of the model that embeds it. `@Embeddable` generates the
/// conformance.
public protocol Embeddable: Sendable {
  /// The properties, for the schema of the model that embeds them.
  @_documentation(visibility: internal)
  static func properties<Root: Model>(_ embedding: Embedding<Root, Self>) -> [Property<Root>]

  /// Decodes a value from its columns of a row. Throws if a column holds a value that doesn't fit its property.
  @_documentation(visibility: internal)
  init(from row: inout RowReader) throws
  /// Encodes the properties to a row, in the order of declaration. Throws for a value that can't be stored.
  @_documentation(visibility: internal)
  func encode(to row: inout RowWriter) throws
}

/// The columns of an embedded struct: `$0.font.size`.
@_documentation(visibility: internal)
public protocol EmbeddedColumns: Sendable {
  /// The model that embeds the struct.
  associatedtype Root: Model
  /// The struct.
  associatedtype Base: Embeddable
  /// Where the struct is embedded.
  var embedding: Embedding<Root, Base> { get }
  /// Creates the columns of a struct that is embedded there.
  init(_ embedding: Embedding<Root, Base>)
}

/// The place where a struct is embedded: the path to it and the prefix of its columns' names.
@_documentation(visibility: internal)
public struct Embedding<Root: Model, Base: Embeddable>: Sendable {
  let path: any KeyPath<Root, Base> & Sendable
  let property: String
  let prefix: String
  /// Reads this struct from the outermost embedded struct.
  let base: @Sendable (Any) -> Base?
  /// Where a query finds the columns.
  var scope = ColumnScope.current

  /// Creates the place of a struct embedded in a model.
  ///
  /// - Parameters:
  ///   - path: The path from the model to the struct.
  ///   - name: The property's name; the columns' names begin with it and an underscore.
  public init(_ path: any KeyPath<Root, Base> & Sendable, _ name: String) {
    self.init(path: path, property: name, prefix: name + "_", base: { $0 as? Base })
  }

  private init(
    path: any KeyPath<Root, Base> & Sendable, property: String, prefix: String, scope: ColumnScope = .current,
    base: @escaping @Sendable (Any) -> Base?
  ) {
    self.path = path
    self.scope = scope
    self.base = base
    self.property = property
    self.prefix = prefix
  }

  /// Returns the place of a struct that is nested in this one.
  public func embedding<Inner: Embeddable>(
    _ path: any KeyPath<Base, Inner> & Sendable, _ name: String
  ) -> Embedding<Root, Inner> {
    let base = base
    return Embedding<Root, Inner>(
      path: appending(path), property: "\(property).\(name)", prefix: "\(prefix)\(name)_", scope: scope,
      base: { base($0)?[keyPath: path] })
  }

  func scoped(_ scope: ColumnScope) -> Embedding {
    var embedding = self
    embedding.scope = scope
    return embedding
  }

  private func appending<Output>(_ path: any KeyPath<Base, Output> & Sendable) -> any KeyPath<Root, Output> & Sendable {
    // Appending one Sendable key path to another captures nothing new, but the compiler can't know that.
    unsafeBitCast(
      self.path.appending(path: path) as KeyPath<Root, Output>, to: (any KeyPath<Root, Output> & Sendable).self)
  }

  private func make<Output>(
    _ path: any KeyPath<Base, Output> & Sendable, _ name: String, _ column: String?, _ coding: ColumnCoding<Output>
  ) -> Column<Root, Output> {
    let base = base
    return Column(
      appending(path), "\(property).\(name)", prefix + (column ?? name), coding,
      embeddedValue: { outermost in try base(outermost).map { try coding.encode($0[keyPath: path]) } }
    ).scoped(scope)
  }
}

extension Embedding {
  /// Returns the column of a property with a storable type.
  public func column<Output: StoredValue>(
    _ path: any KeyPath<Base, Output> & Sendable, _ name: String, column: String? = nil
  ) -> Column<Root, Output> {
    make(path, name, column, .stored)
  }

  /// Returns the column of a property that is stored as its raw value.
  public func column<Output: RawRepresentable & Sendable>(
    _ path: any KeyPath<Base, Output> & Sendable, _ name: String, column: String? = nil
  ) -> Column<Root, Output> where Output.RawValue: StoredValue {
    make(path, name, column, .rawValue)
  }

  /// Returns the column of a property whose type is storable and also has a raw value. The storable form is used.
  public func column<Output: RawRepresentable & StoredValue>(
    _ path: any KeyPath<Base, Output> & Sendable, _ name: String, column: String? = nil
  ) -> Column<Root, Output> where Output.RawValue: StoredValue {
    make(path, name, column, .stored)
  }

  /// Returns the column of an optional property that is stored as its raw value.
  public func column<Output: RawRepresentable & Sendable>(
    _ path: any KeyPath<Base, Output?> & Sendable, _ name: String, column: String? = nil
  ) -> Column<Root, Output?> where Output.RawValue: StoredValue {
    make(path, name, column, .optionalRawValue())
  }

  /// Returns the column of a property that is stored as JSON.
  @_disfavoredOverload
  public func column<Output: Codable & Sendable>(
    _ path: any KeyPath<Base, Output> & Sendable, _ name: String, column: String? = nil
  ) -> Column<Root, Output> {
    make(path, name, column, .json)
  }

  /// Returns the column of a date that is stored as text.
  public func column(
    _ path: any KeyPath<Base, Date> & Sendable, _ name: String, column: String? = nil, as format: DateFormat
  ) -> Column<Root, Date> {
    make(path, name, column, .text(format))
  }

  /// Returns the column of an optional date that is stored as text.
  public func column(
    _ path: any KeyPath<Base, Date?> & Sendable, _ name: String, column: String? = nil, as format: DateFormat
  ) -> Column<Root, Date?> {
    make(path, name, column, .text(format))
  }
}
