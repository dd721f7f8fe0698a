import Larder

/// What a connection has read of the tracked tables, which each use of the file needs and few commits change.
final class TrackedFile {
  /// The tables of a file, and what follows from them.
  final class Content {
    let tables: [TrackedTable]
    let tablesByID: [Int64: TrackedTable]
    let tablesByName: [ExactName: TrackedTable]
    /// The number of columns for keys.
    let keyCount: Int
    /// The values that properties have in rows of models that lack them, by the numbers of the properties.
    let defaults: [Int64: ReplicatedValue]
    /// What tells programs apart whose models differ.
    private(set) lazy var modelsDigest = ModelsDigest.exchange(of: tables)

    fileprivate init(_ connection: ModuleConnection, _ tests: ValueTests) throws {
      tables = try tests.adding(to: try Tracker(connection).tracked(), connection)
      tablesByID = Dictionary(uniqueKeysWithValues: tables.map { ($0.id, $0) })
      tablesByName = Dictionary(uniqueKeysWithValues: tables.map { (ExactName($0.name), $0) })
      keyCount = try Tracker(connection).keyCount()
      var defaults: [Int64: ReplicatedValue] = [:]
      for property in tables.flatMap(\.properties) {
        if let value = property.column.constantDefault { defaults[property.id] = ReplicatedValue(value) }
      }
      self.defaults = defaults
    }
  }

  /// The values that the types of properties have, by the names of tables and columns: the descriptions in the file don't say
  /// it.
  fileprivate struct ValueTests {
    private typealias Tests = [ExactName: [String: ValueTest]]

    private let declared: Tests

    init(_ connection: ModuleConnection) throws {
      declared = Self.tests(try connection.tables.filter { !$0.isDescribed })
    }

    /// Returns the tables with the tests by the types of this program, or by what the file says of models that the program
    /// doesn't declare.
    func adding(to tables: [TrackedTable], _ connection: ModuleConnection) throws -> [TrackedTable] {
      let areDeclared = tables.allSatisfy { $0.isCollection || declared[ExactName($0.name)] != nil }
      let described = areDeclared ? [:] : Self.tests(try connection.describedTables)
      return tables.map { table in
        let name = ExactName(table.name)
        if table.isCollection { return table }
        return table.testing(declared[name] ?? described[name] ?? [:], isDeclared: declared[name] != nil)
      }
    }

    private static func tests(_ tables: [ModuleTable]) -> Tests {
      let tests = tables.map { table in
        let tests = table.testedColumns.compactMap { column in column.valueTest.map { (column.name, $0) } }
        return (ExactName(table.exchangeName), Dictionary(tests) { first, _ in first })
      }
      return Dictionary(tests) { first, _ in first }
    }
  }

  private var tests: ValueTests?
  private var content: Content?
  /// SQLite's number of what other connections have committed when the content was read. Source:
  /// <https://www.sqlite.org/pragma.html#pragma_data_version>.
  private var version: Int64 = -1
  /// The transaction that changes the tables. It may be rolled back, so nothing is kept of what it shows.
  private var changing: Int?

  static func of(_ connection: ModuleConnection) -> TrackedFile {
    connection.state(TrackedFile.self, TrackedFile())
  }

  func content(_ connection: ModuleConnection) throws -> Content {
    let isChanging = changing != nil && connection.openTransaction == changing
    let current = try connection.first("PRAGMA main.data_version") { $0.integer(0) } ?? -1
    if let content, current == version, !isChanging { return content }
    let tests = try self.tests ?? ValueTests(connection)
    self.tests = tests
    let read = try Content(connection, tests)
    if !isChanging { (content, version) = (read, current) }
    return read
  }

  /// Has the tables read anew, because this connection is about to change what is known of them.
  func forget(_ connection: ModuleConnection) {
    content = nil
    changing = connection.openTransaction
  }
}

extension ModuleTable {
  /// The columns whose values must be readable. Those of references aren't: what they refer to has a key that can be read, or they
  /// are hidden.
  var testedColumns: [Column] {
    (keys + columns).filter { column in !references.contains { $0.column == column.name } }
  }
}

extension Tracker {
  /// Executes a statement that changes what is known of tables or properties.
  func change(_ sql: String, _ arguments: [ReplicatedValue]) throws {
    TrackedFile.of(connection).forget(connection)
    try connection.run(sql, arguments)
  }
}
