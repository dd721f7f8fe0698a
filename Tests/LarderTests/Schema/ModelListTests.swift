import Foundation
import Larder
import Testing

private enum Clash {
  @Model("Note")
  struct First { var id: Int }

  @Model("nOTE")
  struct Second { var id: Int }
}

/// What a model written by hand calls its table and its second column; `@Model` refuses such names when it is compiled.
private protocol Naming: Sendable {
  static var table: String { get }
  static var column: String { get }
}

private enum OwnCatalogue: Naming {
  static let table = "_larder_models"
  static let column = "text"
}

private enum Reserved: Naming {
  static let table = "sqlite_notes"
  static let column = "text"
}

private enum Cased: Naming {
  static let table = "Cased"
  static let column = "ID"
}

private enum Numbered: Naming {
  static let table = "Numbered"
  static let column = "_rowid"
}

private struct Handmade<Name: Naming>: Model {
  struct Columns: ModelColumns {
    typealias Root = Handmade
    let id = Column(\Handmade.id, "id")
    let text = Column(\Handmade.text, "text", column: Name.column)
    init() {}
  }

  var id: String
  var text: String

  static var columns: Columns { Columns() }
  static var schema: ModelSchema<Handmade> {
    ModelSchema(Name.table, [Property(columns.id, .primaryKey), Property(columns.text)])
  }

  init(from row: inout RowReader) throws {
    id = try row.next()
    text = try row.next()
  }

  func encode(to row: inout RowWriter) throws {
    try row.bind(id)
    try row.bind(text)
  }

  static func bind(key: String, to row: inout RowWriter) throws { try row.bind(key) }
  static func key(from row: inout RowReader) throws -> String { try row.next() }
}

/// A model written by hand, without a key.
private struct Keyless: Model {
  struct Columns: ModelColumns {
    typealias Root = Keyless
    let text = Column(\Keyless.text, "text")
    init() {}
  }

  var text = ""
  var id: String { text }

  static let columns = Columns()
  static let schema = ModelSchema<Keyless>("Keyless", [Property(columns.text)])

  init(from row: inout RowReader) throws { text = try row.next() }
  func encode(to row: inout RowWriter) throws { try row.bind(text) }
  static func bind(key: String, to row: inout RowWriter) throws { try row.bind(key) }
  static func key(from row: inout RowReader) throws -> String { try row.next() }
}

@Suite("Models that cannot be kept")
struct ModelListTests {
  private func expectRefusal(
    _ words: String..., models: [any Model.Type], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let file = try StoreFile()
    let error = #expect(throws: StoreError.self, sourceLocation: sourceLocation) {
      try Store(at: file.path, for: models)
    }
    #expect(error?.code == .schemaMismatch, sourceLocation: sourceLocation)
    for word in words {
      #expect(error?.message.contains(word) == true, "\(error?.message ?? "")", sourceLocation: sourceLocation)
    }
    #expect(try file.names == [], sourceLocation: sourceLocation)
  }

  @Test("two models of one table are refused, also where the names differ in case alone")
  func oneTable() throws {
    try expectRefusal("First", "Second", "@Model", models: [Clash.First.self, Clash.Second.self])
    try expectRefusal("First", models: [Clash.First.self, Clash.First.self])
  }

  @Test("A2: a model without a key is refused")
  func noKey() throws {
    try expectRefusal("Keyless has no key", ".primaryKey", models: [Keyless.self])
  }

  @Test("two properties of one column are refused, also where the names differ in case alone")
  func oneColumn() throws {
    try expectRefusal("column name ID", ".text", models: [Handmade<Cased>.self])
    try expectRefusal("column name _rowid", ".text", models: [Handmade<Numbered>.self])
  }

  @Test("names that belong to the database are refused")
  func reserved() throws {
    try expectRefusal("sqlite_notes", "reserved", models: [Handmade<Reserved>.self])
    try expectRefusal("_larder_models", "reserved", models: [Handmade<OwnCatalogue>.self])
  }
}
