import Larder

/// A table that takes part in sync, with the numbers that metadata calls it and its properties by.
struct TrackedTable: Sendable {
  /// A class, because each row of an exchange visits all of them, and a struct would copy the names each time.
  final class Property: Sendable {
    let id: Int64
    /// The name in the exchange.
    let name: String
    let column: ModuleTable.Column
    /// Whether held values are found by the value, because it refers to a row or must be unique.
    let isLookedUp: Bool
    /// The time up to which rows were inserted before the table had the column. Nobody has written the property of such a
    /// row, unless a cell says so: the table shows the default.
    let absentUntil: Int64
    /// The foreign key of the column, if it has one.
    let reference: ModuleTable.Reference?

    init(
      id: Int64, name: String, column: ModuleTable.Column, isLookedUp: Bool, absentUntil: Int64,
      reference: ModuleTable.Reference?
    ) {
      (self.id, self.name, self.column) = (id, name, column)
      (self.isLookedUp, self.absentUntil, self.reference) = (isLookedUp, absentUntil, reference)
    }

    /// When the property of a row without a cell was written, in a statement that reads the row's metadata: zero if never.
    var insertionTime: String { absentUntil == 0 ? "time" : "CASE WHEN time > \(absentUntil) THEN time ELSE 0 END" }

    /// Whether replicas add up what each has added.
    var isCounter: Bool { column.counterRange != nil }
  }

  /// The places of two properties: of a reference in an ordered relationship, and of the row's position there.
  struct Order: Sendable {
    let reference: Int
    let position: Int
  }

  let id: Int64
  private(set) var description: ModuleTable
  var properties: [Property]
  /// Whether the program lacks the model, so that it goes by the file's description.
  private(set) var isDescribed = false
  /// The properties and keys about whose values the description says too little.
  private(set) var vagueColumns: Set<String> = []

  /// The name in the exchange.
  var name: String { description.exchangeName }
  /// Whether it is a collection of documents.
  var isCollection: Bool { description.isCollection }
  /// The properties of which the latest value counts.
  var registers: [Property] { properties.filter { !$0.isCounter } }
  var counters: [Property] { properties.filter(\.isCounter) }
  var quotedName: String { description.name.quotedName }
  var orders: [Order] {
    properties.indices.compactMap { reference in
      guard properties[reference].reference != nil else { return nil }
      let name = ModuleTable.positionColumn(of: properties[reference].column.name)
      return properties.firstIndex { $0.column.name == name }.map { Order(reference: reference, position: $0) }
    }
  }

  /// Whether held values of a column are found by the value.
  static func isLookedUp(_ column: String, in description: ModuleTable) -> Bool {
    description.references.contains { $0.column == column } || description.uniqueRules.contains { $0.contains(column) }
  }

  func reference(of column: String) -> ModuleTable.Reference? {
    description.references.first { $0.column == column }
  }

  /// Returns the table with what its columns can read.
  ///
  /// - Parameters:
  ///   - tests: The tests by the columns' names.
  ///   - isDeclared: Whether they are those of a model that the program declares.
  func testing(_ tests: [String: ValueTest], isDeclared: Bool) -> TrackedTable {
    var table = self
    table.isDescribed = !isDeclared
    if !isDeclared { table.vagueColumns = Set(tests.filter { $0.value.mayChange }.keys) }
    for place in description.keys.indices {
      table.description.keys[place].valueTest = tests[description.keys[place].name]
    }
    for place in description.columns.indices {
      table.description.columns[place].valueTest = tests[description.columns[place].name]
    }
    table.properties = properties.map { property in
      var column = property.column
      column.valueTest = tests[column.name]
      return Property(
        id: property.id, name: property.name, column: column, isLookedUp: property.isLookedUp,
        absentUntil: property.absentUntil, reference: property.reference)
    }
    return table
  }
}
