import Foundation
import LarderArchive
import LarderArchiveMutation
import Testing

private struct Hidden: Codable, Equatable {
  var number = 1
}

private enum Outer {
  struct Hidden: Codable, Equatable { var number = 2 }
}

/// What `Hidden` became.
private struct Seen: Archivable, Equatable {
  static let archiveTag = "Seen"
  static let archiveVersion = 2
  var count: Int
}

private struct Box: Archivable {
  static let archiveTag = "Box"
  var content: [Archived<any Codable>]
}

/// Archives whose `Archived` values have names of types as older versions and other platforms wrote them.
@Suite("Archives: old names of types in Archived")
struct OldTagTests {
  /// The archive of a box as an older version wrote it: with other names in the header and beside the values.
  private func old(_ values: [any Codable], _ tags: [String], headerTags: [String]? = nil) throws -> Data {
    let box = Box(content: values.map { Archived($0) })
    var tree = try ArchiveValue(encoding: box)
    var elements = try #require(tree["content"]?.array)
    for (index, tag) in tags.enumerated() { elements[index]["$tag"] = .string(tag) }
    tree["content"] = .array(elements)
    let data = try Archive.encode(tree)
    let payload = try data.withUnsafeBytes { try ArchiveHeader(of: $0, limits: .default) }.payload
    let names = headerTags ?? tags.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    return try ArchiveHeader.seal(
      data[payload],
      types: [.init(tag: "Box", version: 1)] + names.map { .init(tag: $0, version: 1) }, membersHaveVersions: false)
  }

  private func read(
    _ data: Data, _ types: [any Decodable.Type], _ steps: [ArchiveMigration] = []
  ) throws -> [any Codable] {
    try Archive.decode(Box.self, from: data, allowing: types, migrations: steps).content.map(\.value)
  }

  private func error(
    _ data: Data, _ types: [any Decodable.Type], _ steps: [ArchiveMigration] = []
  ) -> ArchiveError? {
    #expect(throws: ArchiveError.self) { try read(data, types, steps) }
  }

  private let address = "LarderArchiveTests.(unknown context at $55d0c2a4).Hidden"
  private let otherAddress = "LarderArchiveTests.(unknown context at $7fff0000).Hidden"

  @Test("D2: values of a private type are read whatever addresses older launches wrote, if the type is allowed")
  func addresses() throws {
    let data = try old([Hidden(), Hidden(number: 3)], [address, otherAddress])
    #expect(try read(data, [Hidden.self]).compactMap { ($0 as? Hidden)?.number } == [1, 3])
    let refused = error(data, [])
    #expect(refused?.code == .notAllowed && refused?.type == "LarderArchiveTests.(private).Hidden")
  }

  @Test(
    "D2: values of Foundation's types are read under the names of every platform, if the type is allowed",
    arguments: [
      "FoundationEssentials.Date", "Foundation.Date",
    ])
  func foundation(_ tag: String) throws {
    let date = Date(timeIntervalSinceReferenceDate: 7)
    let data = try old([date], [tag])
    #expect(try read(data, [Date.self]).first as? Date == date)
    let refused = error(data, [URL.self])
    #expect(refused?.code == .notAllowed && refused?.type == "Foundation.Date")
    let list = try old([[date, nil] as [Date?]], ["[\(tag)?]"])
    #expect(try read(list, [[Date?].self]).first as? [Date?] == [date, nil])
    // The elements' type isn't that of the list.
    #expect(error(list, [Date.self])?.code == .notAllowed)
    let decimal = try old([Decimal(5)], ["__C.NSDecimal"])
    #expect(try read(decimal, [Decimal.self]).first as? Decimal == 5)
  }

  @Test("D2: an old name of a type that has become Archivable leads there by its step, and is refused without one")
  func renamed() throws {
    let step = ArchiveMigration(of: "LarderArchiveTests.(private).Hidden", from: 1, to: "Seen") { value in
      value["count"] = value["number"]
      value["number"] = nil
    }
    let data = try old([Hidden(), Hidden(number: 3)], [address, otherAddress])
    #expect(try read(data, [Seen.self], [step]).compactMap { ($0 as? Seen)?.count } == [1, 3])
    #expect(error(data, [Seen.self])?.code == .notAllowed)
    #expect(error(data, [], [step])?.code == .notAllowed)
    // A step for the name with one launch's address takes that launch's values alone.
    let exact = ArchiveMigration(of: address, from: 1, to: "Seen") { $0["count"] = $0["number"] }
    #expect(try read(old([Hidden()], [address]), [Seen.self], [exact]).first as? Seen == Seen(count: 1))
    #expect(error(data, [Seen.self], [exact])?.code == .notAllowed)
  }

  @Test("D2: two private types of one name cannot both be allowed, since no archive tells them apart")
  func ambiguous() throws {
    let data = try old([Hidden()], [address])
    #expect(try read(data, [Hidden.self, Outer.Hidden.self]).first as? Hidden == Hidden())
    #expect(error(data, [Hidden.self, TagTests.hiddenType])?.code == .unsupported)
    #expect(error(data, [Outer.Hidden.self])?.code == .notAllowed)
  }

  @Test("D2: an old name beside a value that the header does not have is refused, or read if its type is allowed")
  func hidden() throws {
    let data = try old([Hidden()], [address], headerTags: [])
    #expect(error(data, [Date.self])?.code == .notAllowed)
    #expect(try read(data, [Hidden.self]).count == 1)
    let wrongVersion = try old([Hidden()], ["Seen"], headerTags: [])
    #expect(error(wrongVersion, [Seen.self])?.code == .damaged)
  }
}
