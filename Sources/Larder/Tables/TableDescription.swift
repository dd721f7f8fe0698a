/// A table of a file, as the file itself describes it: without the Swift type of its rows.
///
/// Larder records in each file what the models say. Of a file that another program made, or of a table that SQL made,
/// SQLite's own schema says less: a date, for example, is a number or a text.
///
/// ```swift
/// let store = try Store(at: "notes.larder", schema: .existing)
/// for table in try await store.tables { print(table.name, table.properties.map(\.name)) }
/// ```
public struct TableDescription: Sendable, Hashable {
  /// What a table is for.
  public enum Kind: String, Sendable, Hashable {
    /// The rows of a model.
    case model
    /// A collection of documents, ``Store/documents(_:)``.
    case documents
    /// The pairs of a relationship that is ``ToMany`` on both sides.
    case pairs
    /// A table that is none of Larder's.
    case table
    /// A view, which is only read.
    case view
  }

  /// The table's name in the file.
  public let name: String
  /// What the table is for.
  public let kind: Kind
  /// The model's name in Swift; nil for what isn't a model.
  public let model: String?
  /// The properties in their order; the columns of a table that is none of Larder's.
  public let properties: [Property]
  /// The indexes, without that of the key.
  public let indexes: [Index]
  /// The relationships to rows of other tables, and of the same.
  public let relationships: [Relationship]
  /// Whether rows can expire.
  public let expires: Bool
  /// Whether rows take part in sync.
  public let syncs: Bool
  /// The names of columns whose properties have left the model; their values stay.
  public let retired: [String]
  /// The name of the column with the row's number, which full-text search needs.
  let rowID: String?

  /// The properties that identify a row, in their order; none if nothing does, as in a view.
  public var key: [Property] { properties.filter(\.isKey) }
  /// Whether full-text search finds rows.
  public var isSearchable: Bool { properties.contains(where: \.isSearchable) }
  /// The name that people know: the model's, or the table's.
  public var title: String { model ?? name }

  /// Returns the property with the name, or nil.
  ///
  /// - Parameter name: The name of a property or of its column.
  public func property(_ name: String) -> Property? {
    properties.first { $0.name == name } ?? properties.first { $0.column.isSameColumn(as: name) }
  }

  /// Returns the relationship with the name, or nil.
  ///
  /// - Parameter name: The name of the property.
  public func relationship(_ name: String) -> Relationship? { relationships.first { $0.name == name } }
}

extension TableDescription {
  /// A property of the rows.
  public struct Property: Sendable, Hashable {
    /// The name in Swift, such as `font.size` of an embedded struct; the column's name where the file doesn't know it.
    public let name: String
    /// The column.
    public let column: String
    /// What the values are.
    public let type: PropertyType
    /// The type in Swift, such as `[Color]`.
    public let swiftType: String
    /// Whether a row may have no value.
    public let isOptional: Bool
    /// Whether the property is the key, or a part of it.
    public let isKey: Bool
    /// Whether no two rows have the same value.
    public let isUnique: Bool
    /// Whether full-text search finds the words of the values.
    public let isSearchable: Bool
    /// Whether triggers keep the values, or SQLite computes them, so that nobody sets them.
    public let isDerived: Bool
    /// The raw values of an enum that lists its cases; nil for every other type.
    public let cases: [String]?
    /// The name of the table that the values refer to; nil for a property that is no reference.
    public let target: String?
    /// What a derived property is computed from; nil for every other property, and for a column that SQLite computes.
    public let derivation: Derivation?
    /// The type with which SQL declared the column; nil for models, whose columns have the types of their properties.
    public let declaredType: String?
    /// Whether the property is the number that SQLite gives each row of a table without a key.
    public let isRowNumber: Bool

    /// Whether dates are kept as ISO 8601 text.
    public var isISO8601: Bool { columnType.order == .instant }
    let columnType: ColumnType
  }

  /// What a derived property is computed from.
  public struct Derivation: Sendable, Hashable {
    /// The function: `sum`, `count`, `min` or `max`.
    public let function: String
    /// The relationship whose rows count.
    public let relationship: String
    /// The property of those rows; nil for their number.
    public let property: String?
  }

  /// An index.
  public struct Index: Sendable, Hashable {
    /// The name in the file.
    public let name: String
    /// The columns in their order.
    public let columns: [String]
    /// Whether no two rows have the same values of them.
    public let isUnique: Bool
  }

  /// A relationship from the rows of one table to those of another.
  public struct Relationship: Sendable, Hashable {
    /// How many rows there are on the other side.
    public enum Kind: String, Sendable, Hashable {
      /// One row, or none: ``ToOne``.
      case toOne
      /// Any number, each of which belongs to one row: ``ToMany``.
      case toMany
      /// Any number on both sides.
      case manyToMany
    }

    /// The property's name; for the other side of a reference of which no property speaks, one that is made of the
    /// names of the table and the reference.
    public let name: String
    /// How many rows there are on the other side.
    public let kind: Kind
    /// The table of the rows on the other side.
    public let target: String
    /// What happens to the rows that refer, when the one that they refer to is deleted.
    public let deleteRule: DeleteRule
    /// Whether the rows have an order that the user gave them.
    public let isOrdered: Bool
    /// The relationship of the other table that is the other side of this one; nil if none speaks of it.
    public let inverse: String?
    /// The column that the reference holds values of: of the other table for ``Kind/toOne``, of this one otherwise.
    public let key: String

    let rows: DerivedColumn.Rows

    /// The column that holds the reference: of this table for ``Kind/toOne``, of the other one for ``Kind/toMany``; nil
    /// if pairs connect the rows.
    public var column: String? { if case .reference(let column) = rows { column } else { nil } }
  }
}
