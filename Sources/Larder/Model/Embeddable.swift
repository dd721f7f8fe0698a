public import Foundation

/// A struct whose properties are stored as columns of the model that embeds it. `@Embeddable` writes the conformance.
public protocol Embeddable: Sendable {
  /// The properties, for the schema of the model that embeds them.
  static func properties<Root: Model>(_ embedding: Embedding<Root, Self>) -> [Property<Root>]

  init(from row: inout RowReader) throws
  func encode(to row: inout RowWriter) throws
}

/// The columns of an embedded struct: `$0.font.size`.
public protocol EmbeddedColumns: Sendable {
  associatedtype Root: Model
  associatedtype Base: Embeddable
  var embedding: Embedding<Root, Base> { get }
}

/// Where a struct is embedded: the path to it and the start of its columns' names.
public struct Embedding<Root: Model, Base: Embeddable>: Sendable {
  let path: any KeyPath<Root, Base> & Sendable
  let property: String
  let prefix: String

  /// - Parameters:
  ///   - path: The path from the model to the struct.
  ///   - name: The property's name; the columns' names begin with it and an underscore.
  public init(_ path: any KeyPath<Root, Base> & Sendable, _ name: String) {
    self.init(path: path, property: name, prefix: name + "_")
  }

  private init(path: any KeyPath<Root, Base> & Sendable, property: String, prefix: String) {
    self.path = path
    self.property = property
    self.prefix = prefix
  }

  /// A struct embedded in the embedded struct.
  public func embedding<Inner: Embeddable>(_ path: any KeyPath<Base, Inner> & Sendable, _ name: String) -> Embedding<Root, Inner> {
    Embedding<Root, Inner>(path: appending(path), property: "\(property).\(name)", prefix: "\(prefix)\(name)_")
  }

  private func appending<Output>(_ path: any KeyPath<Base, Output> & Sendable) -> any KeyPath<Root, Output> & Sendable {
    // Appending one Sendable key path to another captures nothing new; the compiler cannot see that.
    unsafeBitCast(self.path.appending(path: path) as KeyPath<Root, Output>, to: (any KeyPath<Root, Output> & Sendable).self)
  }

  private func make<Output>(
    _ path: any KeyPath<Base, Output> & Sendable, _ name: String, _ column: String?, _ coding: ColumnCoding<Output>
  ) -> Column<Root, Output> {
    Column(appending(path), "\(property).\(name)", prefix + (column ?? name), coding)
  }
}

extension Embedding {
  /// A property kept as its type is.
  public func column<Output: StoredValue>(
    _ path: any KeyPath<Base, Output> & Sendable, _ name: String, column: String? = nil
  ) -> Column<Root, Output> {
    make(path, name, column, .stored)
  }

  /// A property kept as its raw value.
  public func column<Output: RawRepresentable & Sendable>(
    _ path: any KeyPath<Base, Output> & Sendable, _ name: String, column: String? = nil
  ) -> Column<Root, Output> where Output.RawValue: StoredValue {
    make(path, name, column, .rawValue)
  }

  public func column<Output: RawRepresentable & StoredValue>(
    _ path: any KeyPath<Base, Output> & Sendable, _ name: String, column: String? = nil
  ) -> Column<Root, Output> where Output.RawValue: StoredValue {
    make(path, name, column, .stored)
  }

  public func column<Output: RawRepresentable & Sendable>(
    _ path: any KeyPath<Base, Output?> & Sendable, _ name: String, column: String? = nil
  ) -> Column<Root, Output?> where Output.RawValue: StoredValue {
    make(path, name, column, .optionalRawValue())
  }

  /// A property kept as JSON.
  @_disfavoredOverload
  public func column<Output: Codable & Sendable>(
    _ path: any KeyPath<Base, Output> & Sendable, _ name: String, column: String? = nil
  ) -> Column<Root, Output> {
    make(path, name, column, .json)
  }

  /// A date kept as text.
  public func column(
    _ path: any KeyPath<Base, Date> & Sendable, _ name: String, column: String? = nil, as format: DateFormat
  ) -> Column<Root, Date> {
    make(path, name, column, .text(format))
  }

  public func column(
    _ path: any KeyPath<Base, Date?> & Sendable, _ name: String, column: String? = nil, as format: DateFormat
  ) -> Column<Root, Date?> {
    make(path, name, column, .text(format))
  }
}
