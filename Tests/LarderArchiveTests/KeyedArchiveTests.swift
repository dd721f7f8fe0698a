import Foundation
import LarderArchive
import Synchronization
import Testing

private struct Friend: Codable, Sendable, Equatable {
  var title: String
  var rating: Double
  var isScary: Bool
  var legs: Int
  var born: Date
  var picture: Data
  var tags: [String]
  var page: URL
  var identifier: UUID
  var friends: [Friend]?

  enum CodingKeys: String, CodingKey {
    case title = "Title"
    case rating = "Rating"
    case isScary = "Scary"
    case legs = "Legs"
    case born = "Born"
    case picture = "Picture"
    case tags = "Tags"
    case page = "Page"
    case identifier = "Identifier"
    case friends = "Friends"
  }
}

@Suite("Keyed archives of NSKeyedArchiver")
struct KeyedArchiveTests {
  @Test("D6: keyed archives become Codable values", arguments: [true, false])
  func codable(isSecure: Bool) throws {
    let data = try KeyedFixtures.creatures(isSecure: isSecure)
    let creatures = try Archive.decodeKeyed(
      [Friend].self, from: data, allowing: ["LarderArchiveTests.OldCreature": .codable(Friend.self)])
    try check(creatures)
  }

  @Test("D6: XML keyed archives are read as well")
  func xml() throws {
    let data = try KeyedFixtures.creatures(isSecure: true, format: .xml)
    #expect(String(decoding: data.prefix(5), as: UTF8.self) == "<?xml")
    try check(
      try Archive.decodeKeyed(
        [Friend].self, from: data, allowing: ["LarderArchiveTests.OldCreature": .codable(Friend.self)]))
  }

  @Test("D6: keyed archives of a file that is kept in the repository are read", arguments: ["secure", "plain", "xml"])
  func fixture(_ name: String) throws {
    let url = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/\(name).keyedarchive")
    try check(
      try Archive.decodeKeyed(
        [Friend].self, from: try Data(contentsOf: url),
        allowing: ["LarderArchiveTests.OldCreature": .codable(Friend.self)]))
  }

  private func check(_ creatures: [Friend]) throws {
    #expect(creatures.map(\.title) == ["Creature 1", "Creature 2", "Creature 3"])
    let second = try #require(creatures.dropFirst().first)
    #expect(second.rating == 1 && second.isScary && second.legs == 2)
    #expect(second.born == Date(timeIntervalSinceReferenceDate: 20))
    #expect(second.picture == Data(repeating: 2, count: 40))
    #expect(second.tags == ["old", "tag2"])
    #expect(second.page.absoluteString == "https://example.org/creatures/2")
    #expect(second.identifier == UUID(uuidString: "00000000-0000-4000-8000-000000000002"))
  }

  @Test("D6: a closure makes values of objects, nested ones included")
  func closures() throws {
    struct Pair: Sendable {
      var title: String
      var friend: String?
    }
    let classes: [String: KeyedClass] = [
      "LarderArchiveTests.OldCreature": .building { object in
        Pair(
          title: try object.decode(String.self, forKey: "Title"),
          friend: try object.decodeIfPresent(Pair.self, forKey: "Friend")?.title)
      }
    ]
    let pairs = try Archive.decodeKeyed([Pair].self, from: KeyedFixtures.creatures(isSecure: true), allowing: classes)
    #expect(pairs.map(\.title) == ["Creature 1", "Creature 2", "Creature 3"])
    #expect(pairs.map(\.friend) == ["Creature 2", nil, nil])
  }

  @Test("D2: a class that is not on the list is refused before any object is built")
  func stranger() throws {
    let built = Mutex(0)
    let archiver = NSKeyedArchiver(requiringSecureCoding: false)
    archiver.encode([OldCreature(1), OldStranger(2)] as NSArray, forKey: "root")
    archiver.finishEncoding()
    let data = archiver.encodedData
    let error = #expect(throws: ArchiveError.self) {
      try Archive.decodeKeyed(
        [Int].self, from: data,
        allowing: [
          "LarderArchiveTests.OldCreature": .building { _ in
            built.withLock {
              $0 += 1; return $0
            }
          }
        ])
    }
    #expect(error?.code == .notAllowed)
    #expect(error?.type == "LarderArchiveTests.OldStranger")
    #expect(built.withLock { $0 } == 0)
  }

  @Test("D6: objects that refer to each other in a circle are an error")
  func cycle() throws {
    let first = OldCreature(1)
    let second = OldCreature(2)
    first.friend = second
    second.friend = first
    let data = KeyedFixtures.archive(first, isSecure: true)
    let error = #expect(throws: ArchiveError.self) {
      try Archive.decodeKeyed(
        Friend.self, from: data, allowing: ["LarderArchiveTests.OldCreature": .codable(Friend.self)])
    }
    #expect(error?.code == .cycle)
  }

  @Test("D6: Foundation's own classes need no leave")
  func foundation() throws {
    let root: NSDictionary = [
      "text" as NSString: NSMutableString(string: "Zoë"),
      "set" as NSString: NSSet(array: [NSNumber(value: 1), NSNumber(value: 2)]),
      "flag" as NSString: NSNumber(value: true), "large" as NSString: NSNumber(value: UInt64.max),
      "data" as NSString: NSMutableData(data: Data([1, 2])),
    ]
    struct Root: Decodable {
      var text: String
      var set: Set<Int>
      var flag: Bool
      var large: UInt64
      var data: Data
    }
    let read = try Archive.decodeKeyed(Root.self, from: KeyedFixtures.archive(root, isSecure: false), allowing: [:])
    #expect(read.text == "Zoë" && read.set == [1, 2] && read.flag && read.large == .max && read.data == Data([1, 2]))
  }

  @Test("D6: numbers that the archiver took for the same come back as each property asks for")
  func sharedNumbers() throws {
    // 1, 1.0 and true are equal to the archiver, which writes the first of them alone.
    let numbers: NSArray = [
      NSNumber(value: true), NSNumber(value: 1), NSNumber(value: 1.0), NSNumber(value: 2.0), NSNumber(value: UInt8(2)),
    ]
    let data = KeyedFixtures.archive(numbers, isSecure: true)
    #expect(try Archive.decodeKeyed([Int].self, from: data, allowing: [:]) == [1, 1, 1, 2, 2])
    #expect(try Archive.decodeKeyed([Float].self, from: data, allowing: [:]) == [1, 1, 1, 2, 2])
    let first = KeyedFixtures.archive(
      NSArray(array: [NSNumber(value: 1.0), NSNumber(value: true), NSNumber(value: 0)]), isSecure: true)
    #expect(try Archive.decodeKeyed([Bool].self, from: first, allowing: [:]) == [true, true, false])
    let half = KeyedFixtures.archive(NSArray(array: [NSNumber(value: 0), NSNumber(value: 0.5)]), isSecure: true)
    let error = #expect(throws: ArchiveError.self) { try Archive.decodeKeyed([Int].self, from: half, allowing: [:]) }
    #expect(error?.code == .invalidValue && error?.keyPath == "1")
    #expect(throws: ArchiveError.self) { try Archive.decodeKeyed([Bool].self, from: half, allowing: [:]) }
    #expect(throws: ArchiveError.self) {
      try Archive.decodeKeyed([UInt8].self, from: KeyedFixtures.archive([256], isSecure: true), allowing: [:])
    }
  }

  @Test("D6: an error names class and key")
  func errors() throws {
    let error = #expect(throws: ArchiveError.self) {
      try Archive.decodeKeyed(
        [String].self, from: KeyedFixtures.creatures(isSecure: true),
        allowing: [
          "LarderArchiveTests.OldCreature": .building { try $0.decode(Date.self, forKey: "Title").description }
        ])
    }
    #expect(error?.code == .invalidValue)
    #expect(error?.type == "LarderArchiveTests.OldCreature")
    #expect(error?.keyPath == "Title")
    struct Wrong: Decodable, Sendable {
      var tags: [Int]
      enum CodingKeys: String, CodingKey { case tags = "Tags" }
    }
    let inner = #expect(throws: ArchiveError.self) {
      try Archive.decodeKeyed(
        [Wrong].self, from: KeyedFixtures.creatures(isSecure: true),
        allowing: ["LarderArchiveTests.OldCreature": .codable(Wrong.self)])
    }
    #expect(inner?.type == "LarderArchiveTests.OldCreature" && inner?.keyPath == "Tags.0")
    #expect(inner?.message.contains(".building") == true)
    let missing = #expect(throws: ArchiveError.self) {
      try Archive.decodeKeyed(
        [Friend].self, from: KeyedFixtures.creatures(isSecure: true), allowing: [:], root: "other")
    }
    #expect(missing?.code == .notFound)
  }
}

final class OldStranger: OldCreature {}
