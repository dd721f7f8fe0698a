import Foundation
import LarderArchive
import Testing

@testable import Creatures

@Suite("D7: a damaged package is shown as what it is, and the others are not harmed")
struct DamageTests {
  /// Runs the body with three creatures with pictures, and damages the second one before.
  private func withDamage(
    _ damage: (URL) throws -> Void, _ body: (CreaturesService, URL) async throws -> Void
  ) async throws {
    try await withTemporaryFolder { folder in
      let service = try CreaturesService(folder: folder)
      for title in ["Moth", "Owl", "Bat"] { _ = try await service.add(.named(title), Sample.upload()) }
      let package = folder.appending(path: "2.creature")
      try damage(package)
      try await body(service, package)
      let others = try await service.cards().filter { $0.name != "2" }
      #expect(others.map(\.title) == ["Moth", "Bat"])
      #expect(others.allSatisfy { $0.damage == nil })
    }
  }

  private func second(_ service: CreaturesService) async throws -> Card {
    try #require(try await service.cards().first { $0.name == "2" })
  }

  @Test("Data that are lost leave the pictures, under a name that can be changed", arguments: Harm.allCases)
  func data(harm: Harm) async throws {
    try await withDamage({ try harm.apply(to: $0.appending(path: "data")) }) { service, _ in
      var card = try await second(service)
      #expect(card.title == nil)
      #expect(card.damage == Damage(lost: [.data], left: [.thumbnail, .picture]))
      #expect(card.hasThumbnail)
      await #expect(throws: CreatureProblem.self) { try await service.rate("2", 5) }
      #expect(try await service.picture(.picture, of: "2") == Sample.upload().picture)
      card = try #require(try await service.restore("2"))
      #expect(card.damage == nil)
      #expect(card.title == "Creature 2")
      #expect(try await service.picture(.picture, of: "2") == Sample.upload().picture)
      #expect(try await service.rate("2", 5)?.rating == 5)
    }
  }

  @Test(
    "A picture that is cut or gone is seen in the list, which does not read it",
    arguments: [Harm.truncate, .empty, .remove])
  func pictureByItsLength(harm: Harm) async throws {
    try await withDamage({ try harm.apply(to: $0.appending(path: "picture.png")) }) { service, _ in
      let card = try await second(service)
      #expect(card.title == "Owl")
      #expect(card.damage?.lost == [.picture])
      #expect(card.damage?.left == [.data, .thumbnail])
      #expect(card.damage?.hasRemnant == (harm == .truncate))
    }
  }

  @Test("A picture with a changed byte is found when it is asked for, and by the check; its thumbnail takes its place")
  func pictureByItsBytes() async throws {
    try await withDamage({ try Harm.flip.apply(to: $0.appending(path: "picture.png")) }) { service, _ in
      #expect(try await second(service).damage == nil, "nobody has looked at it yet")
      await #expect(throws: CreatureProblem.self) { try await service.picture(.picture, of: "2") }
      #expect(try await second(service).damage?.lost == [.picture])
      let again = try CreaturesService(folder: service.packages.url)
      #expect(try await again.check() == (3, 1))
      #expect(try await second(again).damage == Damage(lost: [.picture], left: [.data, .thumbnail], hasRemnant: true))
      #expect(try await service.remnant(of: "2").content.count == Sample.upload().picture.content.count)
      let card = try #require(try await service.restore("2"))
      #expect(card.damage == nil)
      #expect(card.title == "Owl")
      #expect(try await service.picture(.picture, of: "2") == Sample.upload().thumbnail)
      #expect(try await again.check() == (3, 0))
    }
  }

  @Test("A thumbnail that is lost is made anew of the picture", arguments: Harm.allCases)
  func thumbnail(harm: Harm) async throws {
    try await withDamage({ try harm.apply(to: $0.appending(path: "thumbnail.png")) }) { service, _ in
      await #expect(throws: CreatureProblem.self) { try await service.picture(.thumbnail, of: "2") }
      #expect(try await second(service).damage?.lost == [.thumbnail])
      let card = try #require(try await service.restore("2", thumbnail: .thumbnail(Sample.png(32, 24))))
      #expect(card.damage == nil)
      #expect(try await service.picture(.thumbnail, of: "2").width == 32)
      #expect(try await service.picture(.picture, of: "2") == Sample.upload().picture)
    }
  }

  @Test("Without the list of the parts, data and pictures vouch for themselves", arguments: Harm.allCases)
  func list(harm: Harm) async throws {
    try await withDamage({ try harm.apply(to: $0.appending(path: ".manifest")) }) { service, _ in
      var card = try await second(service)
      #expect(card.title == "Owl")
      #expect(card.rating == 3)
      #expect(card.damage == Damage(lost: [.list], left: [.data, .thumbnail, .picture]))
      #expect(try await service.picture(.thumbnail, of: "2") == Sample.upload().thumbnail)
      card = try #require(try await service.restore("2"))
      #expect(card.damage == nil)
      #expect(card.title == "Owl")
      #expect(try await service.picture(.picture, of: "2") == Sample.upload().picture)
    }
  }

  @Test("Without list and data, and with a picture that is cut, the thumbnail is left")
  func nearlyAll() async throws {
    try await withDamage({ package in
      try Harm.flip.apply(to: package.appending(path: ".manifest"))
      try Harm.flip.apply(to: package.appending(path: "data"))
      try Harm.empty.apply(to: package.appending(path: "picture.png"))
    }) { service, _ in
      let card = try await second(service)
      #expect(card.damage == Damage(lost: [.list, .data], left: [.thumbnail]))
      _ = try await service.restore("2")
      #expect(try await service.picture(.picture, of: "2") == Sample.upload().thumbnail)
    }
  }

  @Test("Of an empty folder nothing is restored; it can be deleted, and the deletion taken back")
  func nothing() async throws {
    try await withDamage({ package in
      for name in try FileManager.default.contentsOfDirectory(atPath: package.path) {
        try FileManager.default.removeItem(at: package.appending(path: name))
      }
    }) { service, package in
      #expect(try await second(service).damage == Damage(lost: [.list, .data], left: []))
      await #expect(throws: CreatureProblem.self) { try await service.restore("2") }
      #expect(FileManager.default.fileExists(atPath: package.path))
      try await service.delete("2")
      #expect(try await service.cards().count == 2)
      #expect(try await service.undelete("2")?.damage != nil)
    }
  }

  @Test("Data that a newer version wrote are no damage, and nothing takes their place")
  func newer() async throws {
    struct Later: Archivable {
      static let archiveTag = Creature.archiveTag
      static let archiveVersion = 2
      var title = "Owl"
    }
    try await withDamage({ _ in }) { service, _ in
      try service.packages.package(named: "2").edit { try $0.setValue(Later(), for: "data") }
      let card = try await second(service)
      #expect(card.damage?.obstacle != nil)
      #expect(card.damage?.left == [])
      await #expect(throws: CreatureProblem.self) { try await service.restore("2") }
      #expect(throws: Never.self) { try service.packages.package(named: "2").value(Later.self, for: "data") }
    }
  }

  @Test("A damaged creature that gets a new picture is whole again")
  func replaced() async throws {
    try await withDamage({ try Harm.truncate.apply(to: $0.appending(path: "picture.png")) }) { service, _ in
      let version = try #require(try await second(service).modified)
      #expect(
        try await service.change("2", to: .named("Owl"), .replace(Sample.upload()), basedOn: version)?.damage == nil)
      #expect(try await service.check() == (3, 0))
    }
  }
}

/// What can happen to a file.
enum Harm: CaseIterable {
  case flip, truncate, empty, remove

  func apply(to file: URL) throws {
    var content = try Data(contentsOf: file)
    switch self {
    case .flip: content[content.count / 2] ^= 0xFF
    case .truncate: content = content.prefix(content.count - 1)
    case .empty: content = Data()
    case .remove: return try FileManager.default.removeItem(at: file)
    }
    try content.write(to: file)
  }
}
