import Foundation
import LarderArchive
import LarderArchiveMutation
import Testing

private struct Hidden: Codable, Equatable {
  var number = 1
}

private protocol Shape: AnyObject, Codable {
  var name: String { get }
}

private final class Circle: Shape {
  let name: String
  init(name: String) { self.name = name }
}

private class Vehicle: Archivable {
  class var archiveTag: String { "Vehicle" }
  var wheels = 4
}

private final class Bicycle: Vehicle {}

private final class Truck: Vehicle {
  override class var archiveTag: String { "Truck" }
}

private struct Key: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }
  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }
}

@Suite("Archives: names of types and keys")
struct TagTests {
  /// A private type of this file.
  static var hiddenType: any Decodable.Type { Hidden.self }

  @Test("D1: the name of a private type has no address in it, and an archive from a launch that wrote one is read")
  func privateType() throws {
    let tag = ArchiveTag.name(of: Hidden.self)
    #expect(tag == "LarderArchiveTests.(private).Hidden")
    #expect(
      ArchiveTag.stable("A.(unknown context at $7f00).(unknown context at $7f08).B<C.(unknown context at $1).D>")
        == "A.(private).(private).B<C.(private).D>")
    let payload = try Archive.encode(Hidden())
    let header = try payload.withUnsafeBytes { try ArchiveHeader(of: $0, limits: .default) }
    #expect(header.types.map(\.tag) == [tag])
    let old = try Mutation.archive(
      of: payload[header.payload], tag: "LarderArchiveTests.(unknown context at $5570d62e8278).Hidden")
    #expect(try Archive.decode(Hidden.self, from: old) == Hidden())
  }

  @Test("D1: Foundation's types have one name on every platform, and archives with the other names are read")
  func platforms() throws {
    #expect(ArchiveTag.name(of: Date.self) == "Foundation.Date")
    #expect(ArchiveTag.name(of: [String: [URL?]].self) == "[Swift.String: [Foundation.URL?]]")
    #expect(ArchiveTag.name(of: Set<UUID>.self) == "Swift.Set<Foundation.UUID>")
    #expect(ArchiveTag.name(of: CGPoint.self) == "Foundation.CGPoint")
    #expect(
      ArchiveTag.stable("__C.CGPoint") == "Foundation.CGPoint"
        && ArchiveTag.stable("CoreGraphics.CGFloat") == "Foundation.CGFloat")
    #expect(
      ArchiveTag.stable("__C.NSDecimal") == "Foundation.Decimal"
        && ArchiveTag.stable("__C.NSDecimalThing") == "__C.NSDecimalThing")
    #expect(ArchiveTag.stable("MyFoundationEssentials.Date") == "MyFoundationEssentials.Date")
    let date = Date(timeIntervalSinceReferenceDate: 5)
    let data = try Archive.encode(date)
    let header = try data.withUnsafeBytes { try ArchiveHeader(of: $0, limits: .default) }
    for tag in ["FoundationEssentials.Date", "Foundation.Date"] {
      #expect(try Archive.decode(Date.self, from: Mutation.archive(of: data[header.payload], tag: tag)) == date)
    }
    #expect(
      try Archive.decode(
        [Date].self,
        from: Mutation.archive(of: Archive.encode([date])[payload: .all], tag: "[FoundationEssentials.Date]")) == [date]
    )
  }

  @Test("D2: a class in Archived of a protocol comes back")
  func classOfProtocol() throws {
    let data = try Archive.encode([Archived<any Shape>(Circle(name: "a"))])
    #expect(
      try Archive.decode([Archived<any Shape>].self, from: data, allowing: [Circle.self]).map(\.value.name) == ["a"])
    let other = try Archive.encode([Archived<any Codable>(Truck())])
    #expect(throws: ArchiveError.self) {
      try Archive.decode([Archived<any Shape>].self, from: other, allowing: [Truck.self])
    }
  }

  @Test("D2: a subclass that has its superclass's tag is refused when it is encoded, and one with its own comes back")
  func inheritedTag() throws {
    for body in [{ try Archive.encode(Bicycle() as Vehicle) }, { try Archive.encode([Archived<Vehicle>(Bicycle())]) }] {
      let error = #expect(throws: ArchiveError.self) { try body() }
      #expect(error?.code == .unsupported && error?.message.contains("archiveTag") == true)
    }
    let data = try Archive.encode([Archived<Vehicle>(Truck()), Archived(Vehicle())])
    let read = try Archive.decode([Archived<Vehicle>].self, from: data, allowing: [Truck.self, Vehicle.self])
    #expect(read.first?.value is Truck && !(read.last?.value is Truck))
  }

  private struct Garage<Content: Codable>: Codable {
    var content: Content
  }

  @Test(
    "D2: a subclass in a property of its superclass, in an optional, array or dictionary is refused when it is encoded",
    arguments: ["inherited", "own"])
  func declaredAsSuperclass(_ tag: String) throws {
    let vehicle: Vehicle = tag == "own" ? Truck() : Bicycle()
    let bodies: [(keyPath: String?, encode: () throws -> Data)] = [
      ("content", { try Archive.encode(Garage(content: vehicle)) }),
      ("content", { try Archive.encode(Garage(content: Vehicle?.some(vehicle))) }),
      ("content.1", { try Archive.encode(Garage(content: [Vehicle(), vehicle])) }),
      ("content.a", { try Archive.encode(Garage(content: ["a": [vehicle].first])) }),
      ("0", { try Archive.encode([vehicle]) }),
      (nil, { try Archive.encode(Vehicle?.some(vehicle)) }),
      ("content.$value.content", { try Archive.encode(Garage(content: Archived(Garage(content: vehicle)))) }),
    ]
    for (keyPath, encode) in bodies {
      let error = #expect(throws: ArchiveError.self) { try encode() }
      #expect(error?.code == .unsupported && error?.keyPath == keyPath)
      #expect(error?.type == String(reflecting: type(of: vehicle)))
      #expect(error?.message.contains("Archived<Vehicle>") == true && error?.message.contains("archiveTag") == true)
    }
    #expect(
      try Archive.decode(Garage<[Vehicle]>.self, from: Archive.encode(Garage(content: [Vehicle()]))).content.count == 1)
  }

  private class Plain: Codable {
    var number = 1
  }

  private final class Special: Plain {}

  private final class Named: Plain, Archivable {
    static let archiveTag = "Named"
  }

  @Test(
    "D1: a subclass without a tag is encoded as its property's class, as with JSONEncoder; one with a tag is refused")
  func subclassWithoutTag() throws {
    let json = try JSONDecoder().decode(
      Garage<Plain>.self, from: JSONEncoder().encode(Garage<Plain>(content: Special())))
    let own = try Archive.decode(Garage<Plain>.self, from: Archive.encode(Garage<Plain>(content: Special())))
    #expect(type(of: json.content) == Plain.self && type(of: own.content) == Plain.self)
    let error = #expect(throws: ArchiveError.self) { try Archive.encode(Garage<Plain>(content: Named())) }
    #expect(error?.code == .unsupported && error?.message.contains("Archived<Plain>") == true)
    let archived = try Archive.encode(Garage(content: Archived<Plain>(Named())))
    #expect(
      try Archive.decode(Garage<Archived<Plain>>.self, from: archived, allowing: [Named.self]).content.value is Named)
  }

  @Test("D2: two types of one tag are an error, on the allow-list and in an archive")
  func twoOfOneTag() throws {
    struct First: Archivable { static let archiveTag = "Same" }
    struct Second: Archivable { static let archiveTag = "Same" }
    let data = try Archive.encode(First())
    #expect(
      #expect(throws: ArchiveError.self) { try Archive.decode(First.self, from: data, allowing: [Second.self]) }?.code
        == .unsupported)
    _ = try Archive.decode(First.self, from: data, allowing: [First.self])
    let both: [Archived<any Codable>] = [Archived(First()), Archived(Second())]
    #expect(#expect(throws: ArchiveError.self) { try Archive.encode(both) }?.code == .unsupported)
  }

  private struct Merged: Codable, Equatable {
    var values: [String: Int]

    init() { values = ["first": 1, "second": 2, "third": 3] }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self).nestedContainer(keyedBy: Key.self, forKey: Key("inner"))
      values = try Dictionary(
        uniqueKeysWithValues: container.allKeys.map { ($0.stringValue, try container.decode(Int.self, forKey: $0)) })
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      var first = container.nestedContainer(keyedBy: Key.self, forKey: Key("inner"))
      try first.encode(1, forKey: Key("first"))
      var second = container.nestedContainer(keyedBy: Key.self, forKey: Key("inner"))
      try second.encode(2, forKey: Key("second"))
      try first.encode(3, forKey: Key("third"))
    }
  }

  @Test("D1: two containers for one key become one, as with JSONEncoder")
  func merging() throws {
    #expect(try JSONDecoder().decode(Merged.self, from: JSONEncoder().encode(Merged())) == Merged())
    #expect(try Archive.decode(Merged.self, from: Archive.encode(Merged())) == Merged())
  }

  private struct MergedLists: Codable, Equatable {
    var values = [0, 1, 2]

    init() {}

    init(from decoder: any Decoder) throws {
      values = try decoder.container(keyedBy: Key.self).decode([Int].self, forKey: Key("list"))
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      for value in values {
        var list = container.nestedUnkeyedContainer(forKey: Key("list"))
        try list.encode(value)
      }
    }
  }

  @Test("D1: two unkeyed containers for one key become one, and a value that is encoded for the key replaces them")
  func mergingLists() throws {
    #expect(try Archive.decode(MergedLists.self, from: Archive.encode(MergedLists())) == MergedLists())
    struct Replaced: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        var list = container.nestedUnkeyedContainer(forKey: Key("list"))
        try list.encode(1)
        try container.encode("text", forKey: Key("list"))
        var keyed = container.nestedContainer(keyedBy: Key.self, forKey: Key("list"))
        try keyed.encode(2, forKey: Key("last"))
      }
    }
    #expect(try ArchiveValue(encoding: Replaced()) == ["list": ["last": 2]])
  }

  private struct Accents: Codable, Equatable {
    var composed = 1
    var decomposed = 2
    var others: [Int]

    init(others: Int) { self.others = Array(0..<others) }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      composed = try container.decode(Int.self, forKey: Key("\u{e9}"))
      decomposed = try container.decode(Int.self, forKey: Key("e\u{301}"))
      others = try (0..<container.allKeys.count - 2).map { try container.decode(Int.self, forKey: Key("\($0)")) }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      for other in others { try container.encode(other, forKey: Key("\(other)")) }
      try container.encode(decomposed, forKey: Key("e\u{301}"))
      try container.encode(composed, forKey: Key("\u{e9}"))
    }
  }

  private struct RenamedAccents: Archivable, Sendable {
    static let archiveTag = "Renamed"
    static let archiveVersion = 2
  }

  @Test("D1: two coding keys that are canonically equal are two keys", arguments: [0, 40])
  func canonicallyEqual(others: Int) throws {
    let value = Accents(others: others)
    #expect(try Archive.decode(Accents.self, from: Archive.encode(value)) == value)
    #expect(#expect(throws: ArchiveError.self) { try ArchiveValue(encoding: value) }?.code == .unsupported)
    // A step sees a tree, whose dictionaries are Swift's.
    let step = ArchiveMigration(of: "Renamed", from: 1) { _ in }
    let data = try Archive.encode(value)
    let old = try Mutation.archive(of: data[payload: .all], tag: "Renamed")
    let error = #expect(throws: ArchiveError.self) {
      try Archive.decode(RenamedAccents.self, from: old, migrations: [step])
    }
    #expect(error?.code == .unsupported && error?.message.contains("canonically equal") == true)
  }

  @Test("D1: a long key that is encoded twice has the last value")
  func longKey() throws {
    struct Twice: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        let key = Key(String(repeating: "k", count: 1000))
        try container.encode(1, forKey: key)
        try container.encode(2, forKey: key)
      }
    }
    #expect(try ArchiveValue(encoding: Twice())[String(repeating: "k", count: 1000)] == 2)
    let data = try Archive.encode(Twice())
    #expect(throws: Never.self) {
      try Archive.decode(
        [String: Int].self, from: Mutation.archive(of: data[payload: .all], tag: "[Swift.String: Swift.Int]"))
    }
  }

  private struct Informed: Codable {
    static let key = CodingUserInfoKey(rawValue: "prefix")
    var text: String
    init(text: String) { self.text = text }
    private static func prefix(_ info: [CodingUserInfoKey: Any]) -> String { key.flatMap { info[$0] as? String } ?? "" }
    init(from decoder: any Decoder) throws {
      text = Self.prefix(decoder.userInfo) + (try decoder.singleValueContainer().decode(String.self))
    }
    func encode(to encoder: any Encoder) throws { try (Self.prefix(encoder.userInfo) + text).encode(to: encoder) }
  }

  @Test("D1: types find the caller's user info in encoder and decoder, at every level")
  func userInfo() throws {
    let key = try #require(Informed.key)
    let data = try Archive.encode([[Informed(text: "c")]], userInfo: [key: "b"])
    #expect(try Archive.decode([[Informed]].self, from: data, userInfo: [key: "a"]).first?.first?.text == "abc")
  }
}

private enum Part { case all }

extension Data {
  /// The payload of an archive.
  fileprivate subscript(payload _: Part) -> Data {
    let header = try? withUnsafeBytes { try ArchiveHeader(of: $0, limits: .default) }
    return self[header?.payload ?? 0..<0]
  }
}
