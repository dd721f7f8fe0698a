import Foundation
import LarderArchive
import Testing

private enum Old {
  struct Pet: Archivable, Sendable {
    static let archiveTag = "Pet"
    var name: String
  }
}

private enum Middle {
  struct Pet: Archivable, Sendable {
    static let archiveTag = "Pet"
    static let archiveVersion = 2
    var title: String
  }
}

private struct Pet: Archivable, Sendable, Equatable {
  static let archiveTag = "Pet"
  static let archiveVersion = 3
  var title: String
  var stars: Int
}

private struct Animal: Archivable, Equatable {
  static let archiveTag = "Animal"
  static let archiveVersion = 2
  var name: String
}

@Suite("Archives: migrations")
struct MigrationTests {
  private let rename = ArchiveMigration(of: "Pet", from: 1) { value in
    value["title"] = value["name"]
    value["name"] = nil
  }
  private let rate = ArchiveMigration(from: Middle.Pet.self) { Pet(title: $0.title, stars: 3) }

  @Test("D6: an archive of version 1 is read by version 3, by way of a tree and of the older type")
  func chain() throws {
    let data = try Archive.encode(Old.Pet(name: "Rex"))
    #expect(try Archive.decode(Pet.self, from: data, migrations: [rate, rename]) == Pet(title: "Rex", stars: 3))
    let second = try Archive.encode(Middle.Pet(title: "Rex"))
    #expect(try Archive.decode(Pet.self, from: second, migrations: [rename, rate]) == Pet(title: "Rex", stars: 3))
  }

  @Test("D6: elements of an archived array and nested values are brought up too")
  func nested() throws {
    let list = try Archive.encode([Old.Pet(name: "Rex"), Old.Pet(name: "Tim")])
    #expect(try Archive.decode([Pet].self, from: list, migrations: [rename, rate]).map(\.title) == ["Rex", "Tim"])
    let wrapped = try Archive.encode([Archived<any Archivable>(Old.Pet(name: "Rex"))])
    let read = try Archive.decode(
      [Archived<any Archivable>].self, from: wrapped, allowing: [Pet.self], migrations: [rename, rate])
    #expect(read.first?.value as? Pet == Pet(title: "Rex", stars: 3))
  }

  @Test("D6: a type that was renamed is read under its new name")
  func renamed() throws {
    let data = try Archive.encode(Old.Pet(name: "Rex"))
    let step = ArchiveMigration(of: "Pet", from: 1, to: "Animal") { _ in }
    #expect(try Archive.decode(Animal.self, from: data, migrations: [step]) == Animal(name: "Rex"))
  }

  @Test("D6: a missing step and a newer archive are errors that say so")
  func missing() throws {
    let old = try Archive.encode(Old.Pet(name: "Rex"))
    let missing = #expect(throws: ArchiveError.self) { try Archive.decode(Pet.self, from: old, migrations: [rename]) }
    #expect(missing?.code == .missingMigration)
    let new = try Archive.encode(Pet(title: "Rex", stars: 1))
    let newer = #expect(throws: ArchiveError.self) { try Archive.decode(Middle.Pet.self, from: new) }
    #expect(newer?.code == .newerVersion)
  }

  @Test("D6: what arrays, optionals and dictionaries hold, in one another as well, is brought up")
  func composed() throws {
    let old = Old.Pet(name: "Rex")
    let new = Pet(title: "Rex", stars: 3)
    let steps = [rename, rate]
    #expect(try Archive.decode([[Pet]].self, from: Archive.encode([[old], []]), migrations: steps) == [[new], []])
    #expect(try Archive.decode(Pet?.self, from: Archive.encode(Old.Pet?.some(old)), migrations: steps) == new)
    #expect(try Archive.decode(Pet?.self, from: Archive.encode(Old.Pet?.none), migrations: steps) == nil)
    #expect(try Archive.decode([String: Pet].self, from: Archive.encode(["a": old]), migrations: steps) == ["a": new])
    #expect(
      try Archive.decode([Int: [Pet?]].self, from: Archive.encode([1: [old, nil]]), migrations: steps) == [
        1: [new, nil]
      ])
    #expect(
      try Archive.decode([Double: Pet].self, from: Archive.encode([0.5: old, 1.5: old]), migrations: steps) == [
        0.5: new, 1.5: new,
      ])
    let list = try Archive.encode([[old]])
    let step = ArchiveMigration(of: "Pet", from: 1, to: "Animal") { _ in }
    #expect(try Archive.decode([[Animal]].self, from: list, migrations: [step]) == [[Animal(name: "Rex")]])
  }

  private struct OldShelf: Archivable, Sendable {
    static let archiveTag = "Shelf"
    var pets: [Archived<Animal>]
  }

  private struct Shelf: Archivable, Sendable, Equatable {
    static let archiveTag = "Shelf"
    static let archiveVersion = 2
    var animals: [Archived<Animal>]
  }

  @Test("D6: a step that decodes an older type with Archived members has the allow-list of the call")
  func archivedMembers() throws {
    let data = try Archive.encode(OldShelf(pets: [Archived(Animal(name: "Rex"))]))
    let step = ArchiveMigration(from: OldShelf.self) { Shelf(animals: $0.pets) }
    let read = try Archive.decode(Shelf.self, from: data, allowing: [Animal.self], migrations: [step])
    #expect(read == Shelf(animals: [Archived(Animal(name: "Rex"))]))
  }

  private struct OldKennel: Archivable {
    static let archiveTag = "Kennel"
    var pet: Old.Pet
  }

  private struct Kennel: Archivable, Equatable {
    static let archiveTag = "Kennel"
    static let archiveVersion = 2
    var pet: Pet
  }

  @Test("D6: a plain member is brought up by the step of its holder, and one in Archived by its own")
  func plainMember() throws {
    let data = try Archive.encode(OldKennel(pet: Old.Pet(name: "Rex")))
    let step = ArchiveMigration(of: "Kennel", from: 1) { value in
      let name = value["pet"]?["name"]
      value["pet"]?["title"] = name
      value["pet"]?["stars"] = 3
    }
    #expect(
      try Archive.decode(Kennel.self, from: data, migrations: [step, rename, rate])
        == Kennel(pet: Pet(title: "Rex", stars: 3)))
    let missing = #expect(throws: ArchiveError.self) {
      try Archive.decode(Kennel.self, from: data, migrations: [rename, rate])
    }
    #expect(missing?.code == .missingMigration)
  }

  @Test("D6: the error of a missing step names the step that is missing, and not one that is there")
  func message() throws {
    let data = try Archive.encode([Old.Pet(name: "Rex")])
    let error = #expect(throws: ArchiveError.self) { try Archive.decode([Pet].self, from: data, migrations: [rename]) }
    #expect(
      error?.message
        == "The archive has version 1, and the migrations lead to version 2; the type has version 3. Add an ArchiveMigration of Pet from version 2."
    )
    let none = #expect(throws: ArchiveError.self) { try Archive.decode([Pet].self, from: data) }
    #expect(
      none?.message
        == "The archive has version 1; the type has version 3. Add an ArchiveMigration of Pet from version 1.")
  }
}
