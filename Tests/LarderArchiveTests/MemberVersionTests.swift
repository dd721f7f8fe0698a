import Foundation
import LarderArchive
import Testing

/// A house as an older program has it.
private enum Old {
  struct House: Archivable, Equatable {
    static let archiveTag = "House"
    var name: String
    var door: Door
    var spare: Door?
    var doors: [Door] = []
    var named: [String: Door] = [:]
    var colours: Set<Door> = []
    var way: Way = .none
    var boxed: Archived<Door>?
  }

  enum Way: Codable, Equatable {
    case none
    indirect case through(Door, then: Way)
  }

  struct Door: Archivable, Hashable {
    static let archiveTag = "Door"
    var color: String
  }
}

/// The same house today: its doors are painted with another name, and are of version 3.
private enum New {
  struct House: Archivable, Equatable {
    static let archiveTag = "House"
    static let archiveVersion = 2
    var title: String
    var door: Door
    var spare: Door?
    var doors: [Door] = []
    var named: [String: Door] = [:]
    var colours: Set<Door> = []
    var way: Way = .none
    var boxed: Archived<Door>?
  }

  enum Way: Codable, Equatable {
    case none
    indirect case through(Door, then: Way)
  }

  struct Door: Archivable, Hashable {
    static let archiveTag = "Portal"
    static let archiveVersion = 3
    var paint: String
  }

  static let migrations = [
    ArchiveMigration(of: "House", from: 1) { value in
      value["title"] = value["name"]
      value["name"] = nil
    },
    ArchiveMigration(of: "Door", from: 1) { value in
      value["colour"] = value["color"]
      value["color"] = nil
    },
    ArchiveMigration(of: "Door", from: 2, to: "Portal") { value in
      value["paint"] = value["colour"]
      value["colour"] = nil
    },
  ]
}

/// A door of the version between.
private struct MiddleDoor: Archivable, Hashable {
  static let archiveTag = "Door"
  static let archiveVersion = 2
  var colour: String
}

@Suite("Archives: versions of members")
struct MemberVersionTests {
  private let old = Old.House(
    name: "mill", door: Old.Door(color: "red"), spare: Old.Door(color: "grey"),
    doors: [Old.Door(color: "blue"), Old.Door(color: "red")], named: ["back": Old.Door(color: "green")],
    colours: [Old.Door(color: "black"), Old.Door(color: "white")],
    way: .through(Old.Door(color: "pink"), then: .through(Old.Door(color: "gold"), then: .none)),
    boxed: Archived(Old.Door(color: "brown")))

  private let new = New.House(
    title: "mill", door: New.Door(paint: "red"), spare: New.Door(paint: "grey"),
    doors: [New.Door(paint: "blue"), New.Door(paint: "red")], named: ["back": New.Door(paint: "green")],
    colours: [New.Door(paint: "black"), New.Door(paint: "white")],
    way: .through(New.Door(paint: "pink"), then: .through(New.Door(paint: "gold"), then: .none)),
    boxed: Archived(New.Door(paint: "brown")))

  private func decode<T: Decodable>(_ type: T.Type, _ data: Data, _ migrations: [ArchiveMigration]) throws -> T {
    try Archive.decode(type, from: data, allowing: [New.Door.self], migrations: migrations)
  }

  @Test(
    "members of older versions are updated wherever they are: in arrays, dictionaries, sets, optionals, enums and Archived"
  )
  func updated() throws {
    #expect(try decode(New.House.self, Archive.encode(old), New.migrations) == new)
  }

  @Test("members of today's version come back as they are, with and without steps")
  func current() throws {
    let data = try Archive.encode(new)
    #expect(try decode(New.House.self, data, []) == new)
    #expect(try decode(New.House.self, data, New.migrations) == new)
  }

  @Test("members between the first version and today's take the steps that are left, under the name that they had")
  func between() throws {
    struct Wall: Codable, Equatable { var doors: [MiddleDoor?] }
    struct NewWall: Codable, Equatable { var doors: [New.Door?] }
    let data = try Archive.encode(Named(Wall(doors: [MiddleDoor(colour: "red"), nil])))
    #expect(
      try decode(Named<NewWall>.self, data, New.migrations).value == NewWall(doors: [New.Door(paint: "red"), nil]))
  }

  @Test("a member that its type encodes as a single value or as elements has a version as well")
  func otherContainers() throws {
    struct Old: Codable { var (one, two): (OldCode, OldPair) }
    struct New: Codable { var (one, two): (NewCode, NewPair) }
    let steps = [
      ArchiveMigration(of: "Code", from: 4) { $0 = .string("\($0.integer ?? 0)") },
      ArchiveMigration(of: "Pair", from: 1) { $0 = .array(($0.array ?? []).reversed()) },
    ]
    let data = try Archive.encode(Named(Old(one: OldCode(number: 7), two: OldPair(one: 1, two: 2))))
    let value = try decode(Named<New>.self, data, steps).value
    #expect(value.one.text == "7")
    #expect(value.two.one == 2)
    #expect(value.two.two == 1)
  }

  @Test("members in members each take their own steps, the outer one first")
  func nested() throws {
    let chain = (1...20).reduce(OldLink(number: 0)) { OldLink(number: $1, next: [$0]) }
    let steps = [
      ArchiveMigration(of: "Link", from: 1) { value in
        value["value"] = value["number"]
        value["number"] = nil
      }
    ]
    var link = try Optional(decode(Named<NewLink>.self, Archive.encode(Named(chain)), steps).value)
    for number in (0...20).reversed() {
      #expect(link?.value == number)
      link = link?.next.first
    }
    #expect(link == nil)
  }

  @Test("many members of an older version within each other are refused before they take hours")
  func budget() throws {
    let long = OldLink(number: 0, next: (1...2_000).map { OldLink(number: $0) })
    let chain = (1...20).reduce(long) { OldLink(number: $1, next: [$0]) }
    let data = try Archive.encode(Named(chain))
    let steps = [ArchiveMigration(of: "Link", from: 1) { $0["value"] = $0["number"] }]
    #expect(try decode(Named<NewLink>.self, data, steps).value.value == 20)
    let error = #expect(throws: ArchiveError.self) {
      try Archive.decode(
        Named<NewLink>.self, from: data, migrations: steps, limits: Archive.Limits(count: 14_000))
    }
    #expect(error?.code == .limitExceeded)
  }

  @Test("a member of a newer version, one without a step and one of another type are errors that name the type")
  func refused() throws {
    struct Wall<Door: Codable>: Codable { var door: Door }
    func error<Written: Codable, Read: Codable>(
      _ value: Written, _ type: Read.Type, _ steps: [ArchiveMigration] = []
    ) throws -> ArchiveError? {
      let data = try Archive.encode(Named(Wall(door: value)))
      return #expect(throws: ArchiveError.self) { try decode(Named<Wall<Read>>.self, data, steps) }
    }
    let newer = try error(New.Door(paint: "red"), PortalOfOld.self)
    #expect(newer?.code == .newerVersion)
    #expect(newer?.type == "Portal")
    let missing = try error(Old.Door(color: "red"), New.Door.self, Array(New.migrations.dropFirst(2)))
    #expect(missing?.code == .missingMigration)
    #expect(missing?.message.contains("Add an ArchiveMigration of Door from version 1") == true)
    let other = try error(MiddleDoor(colour: "red"), OtherDoor.self)
    #expect(other?.code == .notAllowed)
    #expect(other?.type == "Door")
    #expect(other?.message.contains("Window") == true)
  }

  @Test("an archive of the first format, whose members have no versions, is read as before")
  func firstFormat() throws {
    struct Wall<Door: Codable>: Codable { var door: Door }
    // Without a version, as the first format wrote it.
    struct PlainDoor: Archivable {
      static let archiveTag = "Portal"
      var paint: String
    }
    var data = try Archive.encode(Named(Wall(door: PlainDoor(paint: "red"))))
    // Without a version, a member of the second format is one of version 1.
    #expect(throws: ArchiveError.self) { try decode(Named<Wall<New.Door>>.self, data, []) }
    data[9] = 1
    let sum = data.withUnsafeBytes { ArchiveHeader.checksum(of: $0) }
    for byte in 0..<8 { data[ArchiveHeader.checksumOffset + byte] = UInt8(truncatingIfNeeded: sum >> (56 - 8 * byte)) }
    #expect(try decode(Named<Wall<New.Door>>.self, data, []).value.door == New.Door(paint: "red"))
    #expect(try decode(Named<Wall<New.Door>>.self, data, New.migrations).value.door == New.Door(paint: "red"))
  }
}

/// A root whose tag is the same for whatever it holds.
private struct Named<Value: Codable>: Archivable {
  static var archiveTag: String { "Named" }
  var value: Value
  init(_ value: Value) { self.value = value }
}

private struct PortalOfOld: Archivable {
  static let archiveTag = "Portal"
  static let archiveVersion = 2
  var paint: String
}

private struct OtherDoor: Archivable {
  static let archiveTag = "Window"
  static let archiveVersion = 2
  var colour: String
}

private struct OldLink: Archivable {
  static let archiveTag = "Link"
  var number: Int
  var next: [OldLink] = []
}

private struct NewLink: Archivable {
  static let archiveTag = "Link"
  static let archiveVersion = 2
  var value: Int
  var next: [NewLink]
}

private struct OldCode: Archivable {
  static let archiveTag = "Code"
  static let archiveVersion = 4
  var number: Int
  init(number: Int) { self.number = number }
  init(from decoder: any Decoder) throws { number = try decoder.singleValueContainer().decode(Int.self) }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }
}

private struct NewCode: Archivable {
  static let archiveTag = "Code"
  static let archiveVersion = 5
  var text: String
  init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

private struct OldPair: Archivable {
  static let archiveTag = "Pair"
  var (one, two): (Int, Int)
  init(one: Int, two: Int) { (self.one, self.two) = (one, two) }
  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    (one, two) = (try container.decode(Int.self), try container.decode(Int.self))
  }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    try container.encode(one)
    try container.encode(two)
  }
}

private struct NewPair: Archivable {
  static let archiveTag = "Pair"
  static let archiveVersion = 2
  var (one, two): (Int, Int)
  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    (one, two) = (try container.decode(Int.self), try container.decode(Int.self))
  }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    try container.encode(one)
    try container.encode(two)
  }
}
