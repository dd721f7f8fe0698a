import Foundation
import Larder
import LarderTestSupport

enum ToolMood: String, CaseIterable, Codable {
  case happy, soSo = "so so"
}

struct ToolColor: Codable, Hashable {
  var red = 1.0
  var name: String?
}

/// A model with a property of every type.
@Model
struct ToolNote: Hashable {
  var id: UUID = .v7()
  @Attribute(.searchable) var title: String
  var body: String?
  var count: Int = 0
  var small: Int8 = 0
  var ratio: Double = 0
  var single: Float?
  @Attribute(.indexed) var price: Decimal = 0
  var at: Date = Date(timeIntervalSinceReferenceDate: 0)
  @Attribute(.iso8601) var day: Date?
  var isRead: Bool = false
  var data: Data?
  var other: UUID?
  var mood: ToolMood = .happy
  var tags: [String] = []
  var color: ToolColor?
}

/// A model of which a file can give only the title.
@Model
struct ToolItem: Hashable {
  var id: UUID = .v7()
  @Attribute(.searchable) var title: String
  var count: Int?
  var mood: ToolMood?
}

@Model(expires: true)
struct ToolTicket: Hashable {
  var id: Int
  var text: String = ""
}

@Model
struct ToolAccount: Hashable {
  var id: UUID = .v7()
  @Attribute(.unique) var number: String
  @Relationship(inverse: \ToolCost.account) var costs: ToMany<ToolCost> = []
  @Derived(.sum(\Self.costs, \.amount)) var total: Int = 0
}

@Model
struct ToolCost: Hashable {
  var id: UUID = .v7()
  var amount: Int
  @Relationship(deleteRule: .cascade) var account: ToOne<ToolAccount>
}

/// A file of Larder's in a folder of its own.
struct ToolFile {
  let folder: TemporaryFolder
  let path: String
  static let models: [any Model.Type] = [
    ToolNote.self, ToolItem.self, ToolTicket.self, ToolAccount.self, ToolCost.self,
  ]

  init(_ name: String = "notes.larder") throws {
    folder = try TemporaryFolder()
    path = folder.file(name).path
  }

  /// Creates the file, or opens it.
  func open() throws -> Store { try Store(at: path, for: Self.models) }

  /// Creates the file, or opens it, and calls the closure with the store.
  @discardableResult
  func store<Result>(_ body: (Store) async throws -> Result) async throws -> Result {
    let store = try open()
    let result = try await body(store)
    await store.close()
    return result
  }

  /// Creates an empty file of Larder's.
  static func empty() async throws -> ToolFile {
    let file = try ToolFile()
    try await file.store { _ in }
    return file
  }

  /// Creates a file with three notes.
  static func withNotes() async throws -> ToolFile {
    let file = try ToolFile()
    try await file.store { store in
      try await store.insert([
        ToolNote(title: "Milk", count: 1), ToolNote(title: "Eggs and milk", count: 2),
        ToolNote(title: "Bread", count: 3),
      ])
    }
    return file
  }

  /// Creates a file of another program with SQL.
  static func foreign(_ statements: String..., last: String? = nil) async throws -> ToolFile {
    let file = try ToolFile("other.db")
    let store = try Store(at: file.path)
    let own = ["_larder_models", "_larder_migrations", "_larder_info", "_larder_once"]
    let all = statements + own.map { "drop table \($0)" } + (last.map { [$0] } ?? [])
    for sql in all { try await store.sql(SQL(raw: sql)) }
    await store.close()
    return file
  }

  func side(_ name: String) -> String { folder.file(name).path }

  /// Writes a text to a file beside the store.
  func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: folder.file(name))
    return side(name)
  }

  func rows(_ sql: String) async throws -> [[Value]] {
    let store = try Store(at: path, configuration: Store.Configuration(schema: .existing, access: .readOnly))
    let rows = try await store.sql(SQL(raw: sql)).map { $0.map(\.value) }
    await store.close()
    return rows
  }
}

extension ToolNote {
  /// Notes whose values are hard to write: quotes, line ends, NUL, emoji, empty and missing values, extremes.
  static let awkward: [ToolNote] = [
    ToolNote(
      title: "", body: nil, count: .min, small: -128, ratio: -0.0, single: 0.1, price: 0, mood: .soSo, tags: [],
      color: nil),
    ToolNote(
      title: "a,b\"c\"", body: "", count: .max, small: 127, ratio: .infinity, single: -.infinity,
      price: Decimal(string: "-12345678901234567890.123456789") ?? 0, at: Date(timeIntervalSinceReferenceDate: 0.1),
      day: Date(timeIntervalSinceReferenceDate: 86_400), isRead: true, data: Data(), other: UUID(),
      tags: ["", "\"", "x,y"], color: ToolColor(red: 0.1, name: "red")),
    ToolNote(
      title: "line\nfeed\r\nand\rreturn\u{0}NUL\u{1B}[31m\u{85}\u{202E}", body: " space at both ends ",
      ratio: .leastNonzeroMagnitude,
      price: Decimal(string: "0.10") ?? 0, at: Date(timeIntervalSinceReferenceDate: -1e10), data: Data(0...255),
      tags: ["\u{0}\n"]),
    ToolNote(title: "👩‍👩‍👧‍👦 é e\u{301} 漢字", body: "NULL", ratio: .greatestFiniteMagnitude, data: Data([0])),
    ToolNote(title: "nil", body: "'; drop table ToolNote; --<script>", ratio: 9_007_199_254_740_992),
  ]
}
