#if os(Linux)
import Foundation
import Larder
import LarderTestSupport
import Testing

@testable import LarderTool

@Suite(.enabled(if: ModelSourceProgram.canBuild, "needs the objects of a debug build"), .timeLimit(.minutes(20)))
struct ModelSourceZooTests {
  @Test("models of all kinds come back from the file: they compile, read its rows, and make a file like it")
  func zoo() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("zoo.larder").path
    let copy = folder.file("copy.larder").path
    try await ModelSourceZoo.makeFile(path)
    let source = try await ModelSource.text(ofFile: path)
    let expected = [
      "@Model(\"People\", expires: true)", "  var id: UUID = .v7()", "  @Attribute(.unique) var number: String",
      "  @Attribute(.searchable) var title: String", "  @Embedded var address: ZooAccountAddress",
      "  @Attribute(name: \"long\") var longitude: Double?", "  @Embedded var place: ZooAccountAddressPlace",
      "  @Relationship(deleteRule: .cascade) var account: ToOne<ZooAccount>",
      "  @Relationship(deleteRule: .noAction) var other: ToOne<ZooAccount>?",
      "      Index(\\.account, \\.other, unique: true),", "  @Attribute(.primaryKey) var person: ToOne<ZooPerson>",
      "  var uint8: UInt8?", "  var lists: [String: [Int?]]", "  var optionalColor: DocumentValue?",
      "  var attachment: Attachment?", "  @Attribute(.iso8601) var textDate: Date?", "  var optionalMood: ZooMood?",
      "  case soSo = \"so so\"", "  case minus1 = -1",
      "  var `class`: String?",
      "  @Relationship(inverse: \\ZooPerson.favourites, ordered: true) var fans: ToMany<ZooPerson> = []",
      "  @Relationship(inverse: \\ZooPerson.friendsOf) var friends: ToMany<ZooPerson> = []",
      "  @Relationship(ordered: true) var friendsOf: ToMany<ZooPerson> = []",
      "  @Relationship(inverse: \\ZooPerson.parent, ordered: true) var children: ToMany<ZooPerson> = []",
    ]
    #expect(source.missing(expected) == [], "\(source)")
    let found = try ModelSourceProgram(source, in: folder).run(path, creating: copy)
    #expect(found.map(\.table) == ["People", "ZooAccount", "ZooCost", "ZooEverything"])
    #expect(found.allSatisfy { $0.count == 1 && $0.rows == 1 })
    #expect(try await ModelSource.text(ofFile: copy) == source)
  }

  @Test("derived values, and several relationships between two models, come back from the file")
  func derived() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("shelves.larder").path
    let copy = folder.file("copy.larder").path
    let store = try Store(at: path, for: ZooShelf.self, ZooBook.self, ZooPlate.self)
    try await store.insert(ZooShelf(id: 1))
    try await store.insert(ZooBook(id: 1, shelf: ToOne(1), former: nil))
    await store.close()
    let source = try await ModelSource.text(ofFile: path)
    let expected = [
      "  @Derived(.count(\\ZooShelf.books)) var bookCount: Int = 0",
      "  @Attribute(.indexed) @Derived(.sum(\\ZooShelf.books, \\ZooBook.price)) var worth: Decimal = 0",
      "  @Attribute(.iso8601) @Derived(.max(\\ZooShelf.books, \\ZooBook.boughtAt)) var lastBoughtAt: Date?",
      "  @Derived(.count(\\ZooShelf.plates)) var plateCount: Int = 0",
      "  @Relationship(inverse: \\ZooBook.shelf) var books: ToMany<ZooBook> = []",
      "  @Relationship(inverse: \\ZooBook.former, ordered: true) var formerBooks: ToMany<ZooBook> = []",
      "  @Relationship(inverse: \\ZooPlate.copies) var originals: ToMany<ZooPlate> = []",
      "  @Relationship(inverse: \\ZooPlate.parts, ordered: true) var wholes: ToMany<ZooPlate> = []",
      "  var parts: ToMany<ZooPlate> = []", "@Model(syncs: false)",
    ]
    #expect(source.missing(expected) == [], "\(source)")
    let found = try ModelSourceProgram(source, in: folder).run(path, creating: copy)
    #expect(found.map(\.rows) == [1, 0, 1])
    #expect(try await ModelSource.text(ofFile: copy) == source)
  }

  @Test("a collection of documents is a comment, also with a name that would end it")
  func documents() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("notes.larder").path
    let store = try Store(at: path)
    try await store.documents("a\"\nlet x = 1").save(["key": "k"])
    await store.close()
    let source = try await ModelSource.text(ofFile: path)
    let name = "\"a\\\"\\u{a}let x = 1\""
    #expect(source.hasSuffix("\n\n// The collection \(name) has documents: store.documents(\(name)).\n"))
  }
}
#endif
