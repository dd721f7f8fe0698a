import Foundation
import LarderArchive
import LarderArchiveMutation
import Testing

/// A root whose tag is the same for whatever it holds.
private struct Root<Value: Codable>: Archivable {
  static var archiveTag: String { "Root" }
  var value: Value
  init(_ value: Value) { self.value = value }
}

private struct Door: Archivable, Hashable {
  static let archiveTag = "Door"
  static let archiveVersion = 3
  @TaskLocal static var willBuild: @Sendable () -> Void = {}
  var paint: String
}

extension Door {
  private enum Key: CodingKey { case paint }

  init(from decoder: any Decoder) throws {
    Self.willBuild()
    paint = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .paint)
  }
}

private struct DoorOfTwo: Archivable, Hashable {
  static let archiveTag = "Door"
  static let archiveVersion = 2
  var colour: String
}

private struct DoorOfOne: Archivable, Hashable {
  static let archiveTag = "Door"
  var color: String
}

private let steps = [
  ArchiveMigration(of: "Door", from: 1) { value in
    value["colour"] = value["color"]
    value["color"] = nil
  },
  ArchiveMigration(of: "Door", from: 2) { value in
    value["paint"] = value["colour"]
    value["colour"] = nil
  },
]

/// A type of version 1 that is encoded as what it holds.
private struct Transparent<Content: Codable & Hashable>: Archivable, Hashable {
  static var archiveTag: String { "Transparent" }
  var content: Content
  init(_ content: Content) { self.content = content }
  init(from decoder: any Decoder) throws { content = try decoder.singleValueContainer().decode(Content.self) }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(content)
  }
}

/// A type of version 1 whose keys are those that members have.
private struct Lookalike: Archivable, Hashable {
  static let archiveTag = "Lookalike"
  var tag = "Door"
  var version = 2
  var value = "x"
  private enum CodingKeys: String, CodingKey {
    case tag = "$member"
    case version = "$version"
    case value = "$value"
  }
}

/// What an attacker, and an unlucky program, do to members with versions.
@Suite("Archives: versions of members under attack")
struct MemberAttackTests {
  private func decode<T: Codable>(_ type: T.Type, _ data: Data, _ migrations: [ArchiveMigration] = steps) throws -> T {
    try Archive.decode(Root<T>.self, from: data, allowing: [Door.self], migrations: migrations).value
  }

  /// The archive of a root whose value is any tree.
  private func archive(_ value: ArchiveValue) throws -> Data {
    let data = try Archive.encode(["value": value] as ArchiveValue)
    let payload = try data.withUnsafeBytes { try ArchiveHeader(of: $0, limits: .default) }.payload
    return try Mutation.archive(of: data[payload], tag: "Root")
  }

  private func again<T: Codable & Equatable>(_ value: T) throws -> Bool {
    try decode(T.self, Archive.encode(Root(value)), []) == value
  }

  @Test("members that are encoded as another member, or with the keys of a version, come back wherever they are")
  func transparent() throws {
    let door = Transparent(Door(paint: "red"))
    #expect(try again(door) && again([door, door]) && again(["a": door]) && again(Optional(door)))
    #expect(try again(Transparent(Transparent(Transparent(Door(paint: "red"))))))
    #expect(try again(Transparent(Optional(Transparent(Lookalike())))) && again(Lookalike()) && again([Lookalike()]))
    #expect(try again(Set([Transparent(Door(paint: "a")), Transparent(Door(paint: "b"))])))
    let boxed = Transparent(Archived(Door(paint: "red")))
    #expect(try again(boxed) && again([boxed]))
    // What it holds takes its own steps.
    let old = try Archive.encode(Root([Transparent(DoorOfTwo(colour: "red"))]))
    #expect(try decode([Transparent<Door>].self, old) == [door])
  }

  @Test("a member that gets its version only because of what it holds keeps within the depth that is allowed")
  func depth() throws {
    let value = Root(Transparent([Transparent(Lookalike())]))
    for depth in 1...9 {
      let limits = Archive.Limits(depth: depth)
      guard let data = try? Archive.encode(value, limits: limits) else { continue }
      #expect(throws: Never.self, "depth \(depth)") {
        try Archive.decode(Root<Transparent<[Transparent<Lookalike>]>>.self, from: data, limits: limits)
      }
    }
    #expect(throws: Never.self) { try Archive.encode(value, limits: .init(depth: 9)) }
  }

  @Test("one archive may have members of one type in all versions, and each takes the steps that it needs")
  func versions() throws {
    let doors = try decode(
      [Door].self,
      archive([
        ["color": "red"], ["$member": "Door", "$version": 2, "$value": ["colour": "blue"]],
        ["$member": "Door", "$version": 3, "$value": ["paint": "green"]],
        ["$member": "Door", "$version": 1, "$value": ["color": "grey"]],
      ]))
    #expect(doors.map(\.paint) == ["red", "blue", "green", "grey"])
  }

  @Test("absurd versions and names are errors with a code, and nothing is built")
  func absurd() throws {
    let cases: [(tag: ArchiveValue, version: ArchiveValue, code: ArchiveError.Code)] = [
      ("Door", -1, .damaged), ("Door", .integer(.min), .damaged), ("Door", .integer(.max), .newerVersion),
      ("Door", .unsigned(.max), .damaged), ("Door", 4, .newerVersion), ("Door", 0, .missingMigration),
      ("Door", "2", .damaged), ("Door", 2.5, .damaged), ("Door", .null, .damaged), (.null, 2, .damaged),
      (7, 2, .damaged), ("", 2, .notAllowed), ("Window", 2, .notAllowed), ("Window", 3, .notAllowed),
      (.string(String(repeating: "x", count: 5_000)), 2, .notAllowed),
    ]
    for (tag, version, code) in cases {
      let data = try archive(["$member": tag, "$version": version, "$value": ["paint": "red"]])
      let error = #expect(throws: ArchiveError.self) {
        try Door.$willBuild.withValue({ Issue.record("A member was built: \(tag) \(version)") }) {
          try decode(Door.self, data)
        }
      }
      #expect(error?.code == code, "\(tag) \(version)")
    }
    for value: ArchiveValue in [
      ["$member": "Door", "$version": 2], ["$member": "Door", "$version": 3, "$value": ["paint": "a"], "more": 1],
      ["$member": "Door", "$version": 3, "$value": ["$member": "Door", "$version": 3, "$value": ["paint": "a"]]],
    ] {
      #expect(#expect(throws: ArchiveError.self) { try decode(Door.self, archive(value)) }?.code == .invalidValue)
    }
  }

  @Test("a member whose tag or version no archive can have is refused when it is encoded, as the value itself is")
  func refused() throws {
    struct Negative: Archivable {
      static let archiveTag = "Negative"
      static let archiveVersion = -1
    }
    struct Nameless: Archivable {
      static let archiveTag = ""
      static let archiveVersion = 2
    }
    #expect(#expect(throws: ArchiveError.self) { try Archive.encode(Negative()) }?.code == .unsupported)
    #expect(#expect(throws: ArchiveError.self) { try Archive.encode(Root(Negative())) }?.code == .unsupported)
    #expect(#expect(throws: ArchiveError.self) { try Archive.encode(Root([Nameless()])) }?.code == .unsupported)
  }

  @Test("an error that a step throws for a member reaches the caller unchanged")
  func throwing() throws {
    struct Broken: Error, Equatable { var paint: String? }
    let broken = [ArchiveMigration(of: "Door", from: 1) { throw Broken(paint: $0["color"]?.string) }, steps[1]]
    let old = DoorOfOne(color: "red")
    #expect(throws: Broken(paint: "red")) { try decode(Door.self, Archive.encode(Root(old)), broken) }
    #expect(throws: Broken(paint: "red")) {
      try decode([String: [Door?]].self, Archive.encode(Root(["a": [old]])), broken)
    }
    let made = [
      ArchiveMigration(from: DoorOfOne.self) { door -> DoorOfTwo in throw Broken(paint: door.color) }, steps[1],
    ]
    #expect(throws: Broken(paint: "red")) { try decode([Door].self, Archive.encode(Root([old])), made) }
  }

  @Test("an error in a member that steps have updated names its place in the archive")
  func place() throws {
    let wrong = [steps[0], ArchiveMigration(of: "Door", from: 2) { $0["paint"] = 7 }]
    let data = try Archive.encode(Root(["a": [DoorOfTwo(colour: "red")]]))
    let error = #expect(throws: ArchiveError.self) { try decode([String: [Door]].self, data, wrong) }
    #expect(error?.code == .invalidValue && error?.type == "Door" && error?.keyPath == "value.a.0.paint")
  }

  @Test("where several chains of steps lead to a type, a member takes the one that begins with its name")
  func names() throws {
    struct Portal: Archivable, Equatable {
      static let archiveTag = "Portal"
      static let archiveVersion = 4
      var paint: String
    }
    let chains = [
      // Portal had versions of its own before doors became portals by way of gates.
      ArchiveMigration(of: "Portal", from: 3) { $0["paint"] = "portal" },
      ArchiveMigration(of: "Gate", from: 3, to: "Portal") { $0["paint"] = $0["colour"] },
      ArchiveMigration(of: "Door", from: 2, to: "Gate") { _ in },
    ]
    let data = try Archive.encode(Root([DoorOfTwo(colour: "red")]))
    #expect(try decode([Portal].self, data, chains) == [Portal(paint: "red")])
    let root = try Archive.encode(DoorOfTwo(colour: "red"))
    #expect(try Archive.decode(Portal.self, from: root, migrations: chains) == Portal(paint: "red"))
  }

  @Test("keys of an archived dictionary have versions of their own, beside that of its values")
  func keys() throws {
    let old = [DoorOfTwo(colour: "red"): DoorOfTwo(colour: "blue")]
    let new = [Door(paint: "red"): Door(paint: "blue")]
    #expect(try Archive.decode([Door: Door].self, from: Archive.encode(old), migrations: steps) == new)
    #expect(try Archive.decode([Door: Door].self, from: Archive.encode(new)) == new)
    let optional = [DoorOfTwo?.some(DoorOfTwo(colour: "red")): 1, nil: 2]
    #expect(
      try Archive.decode([Door?: Int].self, from: Archive.encode(optional), migrations: steps) == [
        Door(paint: "red"): 1, nil: 2,
      ])
    let lists = [[[DoorOfTwo(colour: "red")]: [DoorOfTwo(colour: "blue")]]]
    #expect(
      try Archive.decode([[[Door]: [Door]]].self, from: Archive.encode(lists), migrations: steps)
        == [[[Door(paint: "red")]: [Door(paint: "blue")]]])
  }

  @Test("a step sees a member in the version that it had, even if the same type is in Archived as well")
  func order() throws {
    struct OldHouse: Archivable {
      static let archiveTag = "House"
      var door: DoorOfTwo
      var boxed: Archived<DoorOfTwo>
    }
    struct House: Archivable {
      static let archiveTag = "House"
      static let archiveVersion = 2
      var door: Door
      var boxed: Archived<Door>
      var colour: String
    }
    let step = ArchiveMigration(of: "House", from: 1) { value in
      value["colour"] = value["door"]?["$value"]?["colour"] ?? "none"
    }
    let old = OldHouse(door: DoorOfTwo(colour: "red"), boxed: Archived(DoorOfTwo(colour: "blue")))
    let house = try Archive.decode(
      House.self, from: Archive.encode(old), allowing: [Door.self], migrations: steps + [step])
    #expect(house.colour == "red" && house.door.paint == "red" && house.boxed.value.paint == "blue")
  }

  @Test("a member that a step adds has the version that the step says, in archives with and without members")
  func added() throws {
    struct OldHouse: Archivable {
      static let archiveTag = "House"
      var name = "mill"
    }
    struct House: Archivable, Equatable {
      static let archiveTag = "House"
      static let archiveVersion = 2
      var (front, back): (Door, Door)
      static func == (left: House, right: House) -> Bool { left.front == right.front && left.back == right.back }
    }
    for old in [try Archive.encode(OldHouse()), try Archive.encode(Root(OldHouse()))] {
      let step = ArchiveMigration(of: "House", from: 1) { value in
        value["front"] = try ArchiveValue(encodingMember: Door(paint: "red"))
        value["back"] = try ArchiveValue(encodingMember: DoorOfOne(color: "blue"))
      }
      let isMember = old.count > (try Archive.encode(OldHouse())).count
      let house =
        isMember
        ? try decode(House.self, old, steps + [step])
        : try Archive.decode(House.self, from: old, migrations: steps + [step])
      #expect(house.front == Door(paint: "red") && house.back == Door(paint: "blue"))
    }
  }

  private struct OldLink: Archivable {
    static let archiveTag = "Link"
    var next: [OldLink]
  }

  private struct Link: Archivable {
    static let archiveTag = "Link"
    static let archiveVersion = 2
    var next: [Link]
  }

  @Test(
    "members of older versions within each other meet the end of a small stack, or the limits, as an error",
    arguments: [90, 400, 20_000])
  func deep(_ length: Int) throws {
    var builder = BinaryListBuilder()
    builder.add(.array([1]))
    let (value, next) = (length * 2 + 2, length * 2 + 3)
    builder.add(.dictionary([(value, 2)]))
    for number in 0..<length {
      let array = 2 * number + 3
      builder.add(.dictionary([(next, array)]))
      builder.add(.array(number == length - 1 ? [] : [array + 1]))
    }
    builder.add(.text("value"))
    builder.add(.text("next"))
    let data = try Mutation.archive(of: builder.list(), tag: "Root")
    let steps = [ArchiveMigration(of: "Link", from: 1) { _ in }]
    for limits in [Archive.Limits.default, Archive.Limits(depth: .max)] {
      let code = #expect(throws: ArchiveError.self) {
        try SmallThread.run { _ = try Archive.decode(Root<Link>.self, from: data, migrations: steps, limits: limits) }
      }?.code
      #expect(code == .limitExceeded)
    }
  }

  @Test("a member that many others refer to is updated for each, within the budget")
  func shared() throws {
    var builder = BinaryListBuilder()
    builder.add(.array([1]))
    for _ in 0..<2 { builder.add(.null) }
    let old = builder.add(.dictionary([]))
    let (value, color, red) = (builder.add(.text("value")), builder.add(.text("color")), builder.add(.text("red")))
    builder.objects[old] = .dictionary([(color, red)])
    builder.objects[1] = .dictionary([(value, 2)])
    builder.objects[2] = .array(Array(repeating: old, count: 5_000))
    let data = try Mutation.archive(of: builder.list(), tag: "Root")
    #expect(try decode([Door].self, data) == Array(repeating: Door(paint: "red"), count: 5_000))
  }
}
