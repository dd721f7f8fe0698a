import Foundation
import LarderArchive
import LarderArchiveMutation
import Synchronization
import Testing

private protocol Animal: Codable, Sendable {
  var name: String { get }
}

private struct Dog: Animal, Archivable, Equatable {
  static let archiveTag = "Dog"
  var name: String
}

private struct Spy: Animal, Archivable {
  static let archiveTag = "Spy"
  static let built = Mutex(0)
  var name: String

  init(name: String) { self.name = name }

  init(from decoder: any Decoder) throws {
    Self.built.withLock { $0 += 1 }
    name = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .name)
  }

  private enum Key: CodingKey { case name }
}

/// Says whether something of the archive was built before the stranger behind it was found.
private struct First: Codable {
  static let built = Mutex(0)
  init() {}
  init(from decoder: any Decoder) throws { Self.built.withLock { $0 += 1 } }
  func encode(to encoder: any Encoder) throws { _ = encoder.container(keyedBy: Key.self) }
  private enum Key: CodingKey {}
}

private struct Zoo: Codable {
  var first = First()
  var animals: [Archived<any Animal>]
}

private class Base: Codable {
  var number = 1
}

private final class Derived: Base {}

@Suite("Archives: the allow-list")
struct AllowListTests {
  @Test("D2: an archive of another type is refused before anything is built")
  func root() throws {
    let data = try Archive.encode(Spy(name: "x"))
    let error = #expect(throws: ArchiveError.self) { try Archive.decode(Dog.self, from: data) }
    #expect(error?.code == .notAllowed)
    #expect(error?.type == "Spy")
    // Allowed, but not what was asked for.
    #expect(throws: ArchiveError.self) { try Archive.decode(Dog.self, from: data, allowing: [Spy.self]) }
    #expect(Spy.built.withLock { $0 } == 0)
  }

  @Test("D2: a nested type that is not allowed is refused before anything of the archive is built")
  func nested() throws {
    let data = try Archive.encode(
      Zoo(animals: [Archived(Dog(name: "a") as any Animal), Archived(Spy(name: "b") as any Animal)]))
    let error = #expect(throws: ArchiveError.self) { try Archive.decode(Zoo.self, from: data, allowing: [Dog.self]) }
    #expect(error?.code == .notAllowed)
    #expect(error?.type == "Spy")
    #expect(First.built.withLock { $0 } == 0)
  }

  @Test("D2: nested types that are allowed come back as what they were")
  func allowed() throws {
    let data = try Archive.encode([Archived<any Animal>(Dog(name: "a")), Archived<any Animal>(Dog(name: "b"))])
    let animals = try Archive.decode([Archived<any Animal>].self, from: data, allowing: [Dog.self])
    #expect(animals.map(\.value.name) == ["a", "b"])
    #expect(animals.first?.value is Dog)
  }

  @Test("D2: a tag that the header keeps quiet about is refused where it stands")
  func hiddenTag() throws {
    let payload: [String: ArchiveValue] = [
      "animals": [["$tag": "Hidden", "$version": 1, "$value": [:]]], "first": [:],
    ]
    let data = try Archive.encode(payload)
    // The same bytes under the name of the type that is asked for.
    struct Disguise: Archivable {
      static let archiveTag = ArchiveTag.name(of: [String: ArchiveValue].self)
      var animals: [Archived<any Animal>]
    }
    let error = #expect(throws: ArchiveError.self) {
      try Archive.decode(Disguise.self, from: data, allowing: [Dog.self])
    }
    #expect(error?.code == .notAllowed)
    #expect(error?.type == "Hidden")
  }

  @Test("D2: a subclass is read as its base class only where it is allowed")
  func subclass() throws {
    let data = try Archive.encode(Derived() as Base)
    #expect(try Archive.decode(Base.self, from: data, allowing: [Derived.self]) is Derived)
    let error = #expect(throws: ArchiveError.self) { try Archive.decode(Base.self, from: data) }
    #expect(error?.code == .notAllowed)
  }
}
