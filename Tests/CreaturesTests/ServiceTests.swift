import ExampleWeb
import Foundation
import LarderArchive
import Testing

@testable import Creatures

@Suite("Creatures are packages of a folder")
struct ServiceTests {
  @Test("D7: a creature with a picture is there after a restart, as a folder with plain files")
  func restart() async throws {
    try await withTemporaryFolder { folder in
      let upload = try Sample.upload()
      let first = try CreaturesService(folder: folder)
      _ = try await first.add(.named("Moth", 4), upload)
      _ = try await first.add(.named("Owl", 0), nil)
      let cards = try await CreaturesService(folder: folder).cards()
      #expect(cards == (try await first.cards()))
      #expect(cards.map(\.title) == ["Moth", "Owl"])
      #expect(cards.map(\.rating) == [4, 0])
      #expect(cards.map(\.hasThumbnail) == [true, false])
      #expect(cards.allSatisfy { $0.damage == nil })
      #expect(try Data(contentsOf: folder.appending(path: "1.creature/picture.png")) == upload.picture.content)
      #expect(try Data(contentsOf: folder.appending(path: "1.creature/thumbnail.png")) == upload.thumbnail?.content)
    }
  }

  @Test("D4: the list reads the data alone, a thumbnail itself alone, and the picture when it is asked for")
  func lazyParts() async throws {
    try await withTemporaryFolder { folder in
      let reads = Log()
      let fileSystem = FileSystem { step, name in if step == "read", !name.hasPrefix(".") { reads.add(name) } }
      let writer = try CreaturesService(folder: folder)
      for number in 1...8 { _ = try await writer.add(.named("Creature \(number)"), Sample.upload(500_000)) }
      let service = CreaturesService(
        packages: try PackageFolder(at: folder, extension: "creature", fileSystem: fileSystem))
      #expect(reads.taken() == [])
      #expect(try await service.cards().count == 8)
      #expect(reads.taken() == Array(repeating: "data", count: 8))
      _ = try await service.picture(.thumbnail, of: "3")
      #expect(reads.taken() == ["thumbnail.png"])
      _ = try await service.picture(.picture, of: "3")
      #expect(reads.taken() == ["picture.png"])
      _ = try await service.rate("3", 5)
      #expect(Set(reads.taken()) == ["data"])
    }
  }

  @Test("A change is refused when another window has changed the creature since")
  func changedElsewhere() async throws {
    try await withTemporaryFolder { folder in
      let service = try CreaturesService(folder: folder)
      let card = try #require(try await service.add(.named("Moth"), nil))
      let version = try #require(card.modified)
      let changed = try #require(try await service.change("1", to: .named("Owl"), .keep, basedOn: version))
      #expect(changed.title == "Owl")
      #expect(changed.created == card.created)
      await #expect(throws: CreatureProblem.changedElsewhere) {
        try await service.change("1", to: .named("Bat"), .keep, basedOn: version)
      }
      #expect(try await service.cards().map(\.title) == ["Owl"])
    }
  }

  @Test("A new picture takes the place of the old one, whatever their formats, and goes with its thumbnail")
  func pictures() async throws {
    try await withTemporaryFolder { folder in
      let service = try CreaturesService(folder: folder)
      var card = try #require(try await service.add(.named("Moth"), Sample.upload()))
      let old = card.picture
      let other = PictureUpload(picture: try .picture(Sample.gif(3, 4)), thumbnail: try .thumbnail(Sample.png(3, 4)))
      var version = try #require(card.modified)
      card = try #require(try await service.change("1", to: .named("Moth"), .replace(other), basedOn: version))
      #expect(card.picture?.format == .gif)
      #expect(card.picture?.id != old?.id)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "1.creature").path).sorted() == [
          ".manifest", "data", "picture.gif", "thumbnail.png",
        ])
      version = try #require(card.modified)
      card = try #require(try await service.change("1", to: .named("Moth"), .remove, basedOn: version))
      #expect(card.picture == nil)
      #expect(!card.hasThumbnail)
      await #expect(throws: CreatureProblem.self) { try await service.picture(.picture, of: "1") }
    }
  }

  @Test("D7: a deleted creature comes back as it was, after a restart too, until the trash is emptied")
  func deleting() async throws {
    try await withTemporaryFolder { folder in
      let now = Date.now
      var service = try CreaturesService(folder: folder)
      _ = try await service.add(.named("Moth"), Sample.upload())
      _ = try await service.add(.named("Owl"), nil)
      let before = try await service.cards()
      try await service.delete("1")
      #expect(try await service.cards().map(\.title) == ["Owl"])
      #expect(try await service.undelete("1") == before.first)
      #expect(try await service.cards() == before)
      try await service.delete("1", now: now)
      service = try CreaturesService(folder: folder)
      try await service.tidy(now: now)
      #expect(try await service.undelete("1") == before.first)
      try await service.delete("1", now: now)
      try await service.tidy(now: now + CreaturesService.undoPeriod - 1)
      #expect(try await service.undelete("1") == before.first)
      try await service.delete("1", now: now)
      try await service.tidy(now: now + CreaturesService.undoPeriod)
      await #expect(throws: CreatureProblem.self) { try await service.undelete("1") }
      await #expect(throws: CreatureProblem.self) { try await service.delete("1") }
    }
  }

  @Test("D7: the trash lists what can come back, after a restart too, and each creature can be deleted for good")
  func trash() async throws {
    try await withTemporaryFolder { folder in
      let upload = try Sample.upload()
      var service = try CreaturesService(folder: folder)
      _ = try await service.add(.named("Moth", 4), upload)
      _ = try await service.add(.named("Owl", 0), nil)
      _ = try await service.add(.named("Bat", 0), nil)
      for name in ["1", "2", "3"] { try await service.delete(name) }
      service = try CreaturesService(folder: folder)
      #expect(
        try await service.deletedCards() == [
          DeletedCard(name: "1", title: "Moth", rating: 4, hasThumbnail: true),
          DeletedCard(name: "2", title: "Owl", rating: 0), DeletedCard(name: "3", title: "Bat", rating: 0),
        ])
      #expect(try await service.deletedThumbnail(of: "1") == upload.thumbnail)
      await #expect(throws: CreatureProblem.self) { try await service.deletedThumbnail(of: "2") }
      try await service.deleteForGood("2")
      await #expect(throws: CreaturesService.notInTrash) { try await service.deleteForGood("2") }
      await #expect(throws: CreaturesService.notInTrash) { try await service.undelete("2") }
      #expect(try await service.undelete("1")?.title == "Moth")
      #expect(try await service.deletedCards().map(\.name) == ["3"])
      try await service.emptyTrash()
      #expect(try await service.deletedCards() == [])
      #expect(try await service.cards().map(\.title) == ["Moth"])
    }
  }

  @Test(
    "No name is ever a path", arguments: ["..", "../1", "1/../1", "", ".larder-trash", "1\u{0}", "2", "1.creature"])
  func names(name: String) async throws {
    try await withTemporaryFolder { folder in
      let service = try CreaturesService(folder: folder)
      _ = try await service.add(.named("Moth"), nil)
      await #expect(throws: CreatureProblem.self) { try await service.picture(.picture, of: name) }
      await #expect(throws: CreatureProblem.self) { try await service.delete(name) }
      await #expect(throws: CreatureProblem.self) { try await service.restore(name) }
      await #expect(throws: CreatureProblem.self) { try await service.rate(name, 1) }
      await #expect(throws: CreatureProblem.self) { try await service.undelete(name) }
      await #expect(throws: CreatureProblem.self) { try await service.deleteForGood(name) }
      #expect(try await service.cards().count == 1)
    }
  }

  @Test("Every window hears how things are now, and after each change")
  func listings() async throws {
    try await withTemporaryFolder { folder in
      let service = try CreaturesService(folder: folder)
      var windows = [
        try await service.listings().makeAsyncIterator(), try await service.listings().makeAsyncIterator(),
      ]
      for index in windows.indices { #expect(await windows[index].next() == []) }
      _ = try await service.add(.named("Moth"), nil)
      for index in windows.indices { #expect(await windows[index].next()?.map(\.title) == ["Moth"]) }
      _ = try await service.rate("1", 5)
      for index in windows.indices { #expect(await windows[index].next()?.map(\.rating) == [5]) }
      try await service.delete("1")
      for index in windows.indices { #expect(await windows[index].next() == []) }
    }
  }
}
