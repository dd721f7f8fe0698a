import Foundation
import LarderArchive
import LarderArchiveMutation
import Testing

@Suite("Archives: values at the edges")
struct HostileValueTests {
  private func again<T: Codable>(_ value: T) throws -> T { try Archive.decode(T.self, from: Archive.encode(value)) }

  @Test("D1: texts come back byte for byte, the text $null and canonically equal ones included")
  func texts() throws {
    let texts = [
      "", "$null", "a\0b", "\u{fffe}", "e\u{301}", "é", "🦑", "\"'\\/", String(repeating: "ä", count: 4096),
      String(repeating: "x", count: 70_000),
    ]
    #expect(try again(texts).map { Array($0.utf8) } == texts.map { Array($0.utf8) })
    #expect(try again([nil, "$null", "a"] as [String?]) == [nil, "$null", "a"])
    #expect(try again(["$null": 1, "": 2, "a\0b": 3]) == ["$null": 1, "": 2, "a\0b": 3])
    struct Text: Codable, Equatable {
      var title: String
      var subtitle: String?
    }
    #expect(try again(Text(title: "$null", subtitle: "$null")) == Text(title: "$null", subtitle: "$null"))
  }

  @Test("D1: numbers and dates come back bit for bit, NaN, infinities and the ends of time included")
  func numbers() throws {
    let numbers = [Double.nan, .infinity, -.infinity, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1]
    #expect(try again(numbers).map(\.bitPattern) == numbers.map(\.bitPattern))
    #expect(
      try again([Float.nan, 0.1, -.infinity]).map(\.bitPattern) == [Float.nan, 0.1, -.infinity].map(\.bitPattern))
    let seconds = [Double.nan, .infinity, 1e300, -1e300, 0.1, -63_114_076_800]
    #expect(
      try again(seconds.map { Date(timeIntervalSinceReferenceDate: $0) }).map(
        \.timeIntervalSinceReferenceDate.bitPattern)
        == seconds.map(\.bitPattern))
    #expect(
      try again([Int64.min, -1, 0, 255, 256, 65_536, 1 << 32, .max]) == [
        Int64.min, -1, 0, 255, 256, 65_536, 1 << 32, .max,
      ])
    #expect(try again([UInt64.max, UInt64(Int64.max) + 1, 0]) == [UInt64.max, UInt64(Int64.max) + 1, 0])
    #expect(
      try again([Decimal(string: "1.23456789012345678901234567890")]) == [
        Decimal(string: "1.23456789012345678901234567890")
      ])
  }

  @Test("D1: a number that does not fit the type is an error that names the key, and never another number")
  func narrowing() throws {
    struct Wide: Archivable {
      static let archiveTag = "Number"
      var value = 300
    }
    struct Narrow: Archivable {
      static let archiveTag = "Number"
      var value: UInt8
    }
    let error = #expect(throws: ArchiveError.self) { try Archive.decode(Narrow.self, from: Archive.encode(Wide())) }
    #expect(error?.code == .invalidValue && error?.type == "Number" && error?.keyPath == "value")
    #expect(#expect(throws: ArchiveError.self) { try Archive.encode([Int128.max]) }?.code == .invalidValue)
  }

  private class Animal: Codable {
    var name = "Rex"
    init() {}
  }

  private final class Dog: Animal {
    var legs = 4
    override init() { super.init() }
    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      legs = try container.decode(Int.self, forKey: .legs)
      var colours = try container.nestedUnkeyedContainer(forKey: .colours)
      #expect(try colours.decode(String.self) == "brown" && colours.isAtEnd)
      #expect(throws: DecodingError.self) { try colours.decode(String.self) }
      try super.init(from: container.superDecoder())
    }
    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(3, forKey: .legs)
      try container.encode(legs, forKey: .legs)
      var colours = container.nestedUnkeyedContainer(forKey: .colours)
      try colours.encode("brown")
      try super.encode(to: container.superEncoder())
    }
    private enum Key: CodingKey { case legs, colours }
  }

  @Test("D1: a class with a superclass, nested containers and a key that is encoded twice comes back")
  func superclass() throws {
    let dog = Dog()
    dog.name = "Tim"
    dog.legs = 5
    let read = try again(dog)
    #expect(read.name == "Tim" && read.legs == 5)
  }

  private final class Ring: Codable {
    var next: Ring?
  }

  @Test("D1: objects that refer to each other in a circle are an error, not an overflow of the stack")
  func circle() throws {
    let ring = Ring()
    ring.next = ring
    defer { ring.next = nil }
    let error = #expect(throws: ArchiveError.self) { try Archive.encode(ring) }
    #expect(error?.code == .limitExceeded && error?.type?.contains("Ring") == true)
  }

  private struct Keeper: Codable {
    var decoder: (any Decoder)?
    init() {}
    init(from decoder: any Decoder) throws { self.decoder = decoder }
    func encode(to encoder: any Encoder) throws { _ = encoder.container(keyedBy: PlainKey.self) }
    private enum PlainKey: CodingKey {}
  }

  @Test("D2: a decoder that a type has kept reads nothing after the archive was decoded")
  func keptDecoder() throws {
    let decoder = try #require(try again(Keeper()).decoder)
    #expect(#expect(throws: ArchiveError.self) { try Int(from: decoder) }?.code == .unsupported)
    #expect(#expect(throws: ArchiveError.self) { try [Int](from: decoder) }?.code == .unsupported)
  }

  @Test("D1: an archive of a newer format is refused as such, and no archive as that")
  func newer() throws {
    var data = try Archive.encode(1)
    data[9] = 3
    #expect(#expect(throws: ArchiveError.self) { try Archive.decode(Int.self, from: data) }?.code == .newerVersion)
    #expect(#expect(throws: ArchiveError.self) { try Archive.decode(Int.self, from: Data()) }?.code == .notAnArchive)
    let large = try Archive.encode(Data(count: 1 << 20))
    #expect(
      #expect(throws: ArchiveError.self) { try Archive.decode(Data.self, from: large, limits: .init(size: 1 << 20)) }?
        .code == .limitExceeded)
  }
}
