import Foundation
import LarderArchive
import Testing

/// A text that coders mark with what the caller tells them.
private struct Marked: Codable, Sendable {
  static let key = CodingUserInfoKey(rawValue: "mark")
  var text: String

  init(_ text: String) { self.text = text }

  private static func mark(_ info: [CodingUserInfoKey: Any]) -> String { key.flatMap { info[$0] as? String } ?? "-" }

  init(from decoder: any Decoder) throws {
    text = Self.mark(decoder.userInfo) + (try decoder.singleValueContainer().decode(String.self))
  }

  func encode(to encoder: any Encoder) throws { try (text + Self.mark(encoder.userInfo)).encode(to: encoder) }
}

/// A creature of a keyed archive whose properties are marked.
private struct MarkedCreature: Codable, Sendable {
  var title: Marked
  var tags: [Marked]
  enum CodingKeys: String, CodingKey {
    case title = "Title"
    case tags = "Tags"
  }
}

@Suite("Archives: the caller's user info")
struct UserInfoTests {
  private func info(_ mark: String) throws -> [CodingUserInfoKey: any Sendable] {
    [try #require(Marked.key): mark]
  }

  @Test("D1: coders of data and of files have the caller's user info, and none if the caller gives none")
  func archives() throws {
    let data = try Archive.encode(["a": [Marked("x")]], userInfo: info("1"))
    let decoded = try Archive.decode([String: [Marked]].self, from: data, userInfo: info("2"))
    #expect(decoded["a"]?.first?.text == "2x1")
    #expect(
      try Archive.decode([String: [Marked]].self, from: Archive.encode(["a": [Marked("x")]]))["a"]?.first?.text == "-x-"
    )
    let folder = try TemporaryFolder()
    try Archive.write(Marked("x"), to: folder.file("a"), userInfo: info("3"))
    #expect(try Archive.read(Marked.self, from: folder.file("a"), userInfo: info("4")).text == "4x3")
  }

  @Test(
    "D4: coders of parts have the caller's user info: of a new package, of a change, of a package that is read and of a snapshot"
  )
  func parts() throws {
    let temporary = try TemporaryFolder()
    let folder = try PackageFolder(at: temporary.url, extension: "x")
    let package = try folder.add { try $0.setValue(Marked("x"), for: "a", userInfo: try info("1")) }
    #expect(try package.value(Marked.self, for: "a", userInfo: info("2")).text == "2x1")
    try package.edit { try $0.setValue(Marked("y"), for: "a", userInfo: try info("3")) }
    #expect(try package.value(Marked.self, for: "a", userInfo: info("4")).text == "4y3")
    #expect(try package.snapshot().value(Marked.self, for: "a", userInfo: info("5")).text == "5y3")
    try package.replaceAll { try $0.setValue(Marked("z"), for: "b", userInfo: try info("6")) }
    #expect(try folder.package(named: package.name).value(Marked.self, for: "b").text == "-z6")
  }

  @Test("D1: a step that decodes an older type, and a member's, have the caller's user info on both sides")
  func migrations() throws {
    struct Old: Archivable {
      static let archiveTag = "Note"
      var title: Marked
    }
    struct New: Archivable {
      static let archiveTag = "Note"
      static let archiveVersion = 2
      var name: Marked
    }
    struct Book<Note: Codable>: Archivable {
      static var archiveTag: String { "Book" }
      var note: Note
    }
    let step = ArchiveMigration(from: Old.self) { New(name: $0.title) }
    let root = try Archive.encode(Old(title: Marked("x")), userInfo: info("1"))
    // The step decodes and encodes once, and then today's type is decoded.
    #expect(try Archive.decode(New.self, from: root, migrations: [step], userInfo: info("2")).name.text == "22x12")
    let member = try Archive.encode(Book(note: Old(title: Marked("x"))), userInfo: info("1"))
    #expect(
      try Archive.decode(Book<New>.self, from: member, migrations: [step], userInfo: info("2")).note.name.text
        == "22x12")
  }

  @Test("D1: trees are encoded and decoded with the caller's user info")
  func trees() throws {
    let tree = try ArchiveValue(encoding: [Marked("x")], userInfo: info("1"))
    #expect(tree == ["x1"])
    #expect(try tree.decode([Marked].self, userInfo: info("2")).first?.text == "2x1")
    #expect(try tree.decode([Marked].self).first?.text == "-x1")
  }

  @Test(
    "D6: decoders of keyed archives and objects for closures have the caller's user info, at every level",
    arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml])
  func keyed(_ format: PropertyListSerialization.PropertyListFormat) throws {
    let name = "LarderArchiveTests.OldCreature"
    let data = try KeyedFixtures.creatures(isSecure: true, format: format)
    let creatures = try Archive.decodeKeyed(
      [MarkedCreature].self, from: data, allowing: [name: .codable(MarkedCreature.self)], userInfo: info("1"))
    #expect(creatures.map(\.title.text) == ["1Creature 1", "1Creature 2", "1Creature 3"])
    #expect(creatures.first?.tags.map(\.text) == ["1old", "1tag1"])
    let key = try #require(Marked.key)
    let titles = try Archive.decodeKeyed(
      [String].self, from: data,
      allowing: [
        name: .building { object in
          let mark = object.userInfo[key] as? String ?? "-"
          return mark + (try object.decode(Marked.self, forKey: "Title").text)
        }
      ], userInfo: info("2"))
    #expect(titles == ["22Creature 1", "22Creature 2", "22Creature 3"])
    let plain = KeyedFixtures.archive(["a": ["x"]] as NSDictionary, isSecure: false, format: format)
    #expect(
      try Archive.decodeKeyed([String: [Marked]].self, from: plain, allowing: [:], userInfo: info("3"))["a"]?.first?
        .text
        == "3x")
    #expect(try Archive.decodeKeyed([String: [Marked]].self, from: plain, allowing: [:])["a"]?.first?.text == "-x")
  }
}
