/// The columns of a file that Larder didn't create, and which of them store values in other formats than Larder's.
///
/// A date may be stored as text, a Boolean as 'true', a number as text. Conditions, sorts and aggregates then convert
/// values with a function, and new values are written in the format of the existing ones.
struct AdoptedColumns: Sendable {
  /// The formats of a column's values.
  enum Kind: Sendable {
    /// All values are in Larder's format, so that SQL compares them as Swift does.
    case native
    /// Integers and real numbers, which compare alike but divide differently.
    case integers
    /// JSON text, which may differ between equal values.
    case json
    /// Values in other formats.
    case mixed
  }

  struct Column: Sendable {
    /// The argument that identifies the column to SQL functions.
    let number: Int
    let model: String
    let definition: TableDefinition.Column
    var kind = Kind.native
    /// A value of the newest row, whose format new values take.
    var example = Value.null
    /// How the file compares the column's texts; nil if it compares them byte by byte, as Larder does.
    var collation: AdoptedCollation?
  }

  private(set) var list: [Column] = []
  /// The positions in the list of the columns that SQL doesn't compare as Swift does, by "table.column".
  private var positions: [String: Int] = [:]

  init() {}

  init(_ tables: [TableDefinition]) {
    for table in tables {
      for column in table.columns { list.append(Column(number: list.count, model: table.model, definition: column)) }
    }
  }

  /// Whether SQL compares every column as Swift does.
  var isEmpty: Bool { positions.isEmpty }

  mutating func set(_ kind: Kind, _ collation: AdoptedCollation?, example: Value, at number: Int, of table: String) {
    list[number].kind = kind
    list[number].collation = collation
    list[number].example = example
    if kind != .native || collation != nil { positions["\(table).\(list[number].definition.name)"] = number }
  }

  /// Returns the column if SQL doesn't compare its values as Swift does.
  func column(_ name: String, of table: String) -> Column? {
    positions.isEmpty ? nil : positions["\(table).\(name)"].map { list[$0] }
  }

  /// Returns the column if its values are in other formats.
  func mixed(_ name: String, of table: String) -> Column? {
    guard let column = column(name, of: table), column.kind == .mixed else { return nil }
    return column
  }
}

/// A collation by which a file that Larder didn't create compares texts that differ, such as `NOCASE`.
struct AdoptedCollation: Sendable {
  /// Whether an index with the collation finds equal texts. An index of a collation that only the other program knows
  /// can't be used, and that of a view's column is unknown.
  let findsEqualTexts: Bool

  /// - Parameter name: The collation's name; nil if it is unknown.
  init?(_ name: String?) {
    if name?.uppercased() == "BINARY" { return nil }
    findsEqualTexts = name.map { ["NOCASE", "RTRIM"].contains($0.uppercased()) } ?? false
  }
}

// MARK: - SQL

extension AdoptedColumns.Column {
  /// Returns the SQL of the stored value that compares byte by byte.
  func exact(_ sql: String) -> String { collation == nil ? sql : "\(sql) COLLATE BINARY" }

  /// Returns the SQL that converts the value to Larder's format.
  func read(_ sql: String) -> String { "larder_read(\(sql), \(number))" }

  /// Returns the SQL that converts integers and real numbers to real ones, and refuses an integer that would be rounded.
  ///
  /// Only integers beyond 2⁵³ need a function.
  func real(_ sql: String) -> String {
    let greatest = Int64(1) << 53
    return "CASE WHEN \(sql) BETWEEN -\(greatest) AND \(greatest) THEN CAST(\(sql) AS REAL) ELSE \(read(sql)) END"
  }

  /// Returns the SQL that is true for the same key, and throws for another one.
  func isSameKey(_ standing: String, _ new: String) -> String { "larder_is_same_key(\(standing), \(new), \(number))" }

  /// Returns the SQL of the value in the format of the existing one; the existing one itself if both are equal.
  func written(_ sql: String, over standing: String = "NULL") -> String {
    "larder_written(\(sql), \(standing), \(number))"
  }
}
