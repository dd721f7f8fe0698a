import Foundation
import LarderArchive
import Testing

private enum Article {
  struct Creature: Codable, Sendable {
    var title: String
    var rating: Double

    enum CodingKeys: String, CodingKey {
      case title = "Title"
      case rating = "Rating"
    }
  }
}

@Suite("Documentation: Coming from NSCoding")
struct ComingFromNSCodingArticleTests {
  private typealias Creature = Article.Creature

  /// An archive of the app that the article speaks of: as this module's own, under the app's name of the class.
  private func archive() -> Data {
    let xml = KeyedFixtures.archive([OldCreature(1), OldCreature(2)] as NSArray, isSecure: true, format: .xml)
    let text = String(decoding: xml, as: UTF8.self)
    return Data(
      text.replacingOccurrences(of: "LarderArchiveTests.OldCreature", with: "ScaryCreatures.ScaryCreatureData").utf8)
  }

  @Test("D6: old archives become Codable values")
  func codable() throws {
    let data = archive()

    let creatures = try Archive.decodeKeyed(
      [Creature].self, from: data, allowing: ["ScaryCreatures.ScaryCreatureData": .codable(Creature.self)])

    #expect(creatures.map(\.title) == ["Creature 1", "Creature 2"])
  }

  @Test("D6: old archives become what a closure builds")
  func building() throws {
    let data = archive()

    let classes: [String: KeyedClass] = [
      "ScaryCreatures.ScaryCreatureData": .building { object in
        Creature(
          title: try object.decodeIfPresent(String.self, forKey: "Title") ?? "without a title",
          rating: try object.decode(Double.self, forKey: "Rating"))
      }
    ]
    let creatures = try Archive.decodeKeyed([Creature].self, from: data, allowing: classes)

    #expect(creatures.map(\.rating) == [0.5, 1])
  }
}
