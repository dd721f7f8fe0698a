import Foundation
import Larder
import LarderTestSupport
import Testing

@Model("Things")
private struct UnreadableThing: Hashable {
  enum Grade: String, Codable, CaseIterable { case good, bad }

  var id: Int
  var text: String?
  var link: URL?
  var grade: Grade?
  var level: Int8?
  var price: Decimal?
  var mark: UUID?
  var data: Data?
}

private struct LooseThing: Decodable {
  var id: Int
  var text: String?
}

/// A value of the right kind that can't be read is refused by conditions as well, so that no row is changed unseen.
@Suite("Unreadable values of other programs")
struct UnreadableValueTests {
  private let file: StoreFile

  init() throws {
    file = try StoreFile()
    try file.sql(
      """
      create table Things (id INTEGER PRIMARY KEY, text TEXT, link TEXT, grade TEXT, level INTEGER, price TEXT, \
      mark BLOB, data TEXT)
      """, creating: true)
    try file.sql(
      """
      insert into Things values (1, 'a', 'https://a.org', 'good', 1, '1.50', x'00112233445566778899aabbccddeeff', 'a'), \
      (2, 'b', 'https://b.org', 'bad', 2, '2', x'ffeeddccbbaa99887766554433221100', CAST(x'41ff' AS TEXT)), \
      (3, 'c', null, null, null, null, null, null)
      """)
  }

  private func open() throws -> BlockingStore {
    try Store(at: file.path, for: UnreadableThing.self, schema: .existing).blocking
  }

  private func expectRefusal(
    _ property: String, of sql: String, _ condition: @escaping (UnreadableThing.Columns) -> QueryExpression<Bool>
  ) throws {
    try file.sql(SQL(raw: "update Things set \(property) = \(sql) where id = 2"))
    let store = try Store(at: file.path, for: UnreadableThing.self, schema: .existing)
    let context = Context(store)
    for writer in [store.blocking, context, context.child()] as [any StoreWriter] {
      for error in [
        #expect(throws: StoreError.self, performing: { try writer.deleteAll(UnreadableThing.where(condition)) }),
        #expect(throws: StoreError.self, performing: { try writer.count(UnreadableThing.where(condition)) }),
        #expect(
          throws: StoreError.self,
          performing: { try writer.updateAll(UnreadableThing.where(condition)) { $0.level.set(7) } }),
      ] {
        #expect(error?.code == .invalidValue, "\(property)")
        #expect(error?.model == "UnreadableThing" && error?.property == property, "\(property)")
      }
      // A condition that doesn't need the value is answered.
      #expect(try writer.count(UnreadableThing.where { $0.id > 0 }) == 3, "\(property)")
    }
  }

  @Test("a condition on a text that is not valid UTF-8 is refused, and deletes nothing", arguments: ["41ff42", "c0af"])
  func texts(_ bytes: String) async throws {
    try expectRefusal("text", of: "CAST(x'\(bytes)' AS TEXT)") { $0.text != "x" }
    let db = try open()
    let groups = UnreadableThing.all.grouped(by: \.text) { ($0.key, $0.count) }
    for error in [
      #expect(
        throws: StoreError.self, performing: { try db.fetch(groups) }),
      #expect(throws: StoreError.self, performing: { try db.max(UnreadableThing.all, of: \.text) }),
      #expect(throws: StoreError.self, performing: { try db.sql("select text from Things", as: String.self) }),
      #expect(
        throws: StoreError.self, performing: { try db.sql("select id, text from Things", as: (Int, String?).self) }),
      #expect(throws: StoreError.self, performing: { try db.sql("select id, text from Things", as: LooseThing.self) }),
      #expect(throws: StoreError.self, performing: { try db.rows(UnreadableThing.all) }),
    ] {
      #expect(error?.code == .invalidValue)
    }
    let store = try Store(at: file.path, for: UnreadableThing.self, schema: .existing)
    var ids: [Int] = []
    let error = await #expect(throws: StoreError.self) {
      for try await thing in store.stream(UnreadableThing.all.sorted(by: \.id)) { ids.append(thing.id) }
    }
    #expect(error?.code == .invalidValue && error?.model == "UnreadableThing" && error?.property == "text")
    #expect(Set(ids).isSubset(of: [1]))
  }

  @Test("a condition on another value that its type refuses is refused, and deletes nothing")
  func values() throws {
    try expectRefusal("grade", of: "'ugly'") { $0.grade != .good }
    try file.sql("update Things set grade = null")
    try expectRefusal("level", of: "300") { $0.level != 1 }
    try file.sql("update Things set level = null")
    try expectRefusal("price", of: "'1.2.3'") { $0.price != 1 }
    try file.sql("update Things set price = null")
    try expectRefusal("mark", of: "x'01'") { $0.mark != UUID() }
    try file.sql("update Things set mark = null")
    try expectRefusal("link", of: "''") { $0.link != URL(string: "https://c.org") }
  }

  @Test("bytes that stand as text are bytes to a condition as well, valid UTF-8 or not")
  func bytes() throws {
    let db = try open()
    #expect(try db.fetch(UnreadableThing.where { $0.data == Data([0x41, 0xFF]) }).map(\.id) == [2])
    var thing = try #require(try db.find(UnreadableThing.self, 2))
    thing.level = 5
    try db.save(thing)
    #expect(try db.find(UnreadableThing.self, 2) == thing)
    #expect(try db.find(UnreadableThing.self, 2)?.data == Data([0x41, 0xFF]))
  }
}
