import Larder
import LarderTestSupport

enum EarlierMood: String, Codable, CaseIterable {
  case calm, glad
}

/// A page in the version of the app before titles, stars and the last of the moods. That app knows no pictures and no places
/// either.
@Model("SyncedPage")
struct EarlierPage {
  var id: String
  var mood = EarlierMood.calm
  @Attribute(.counter) var views = 0
}

extension SyncedWriter {
  /// The models of the earlier version of the app.
  static let earlierModels: [any Model.Type] = [SyncedAccount.self, SyncedTag.self, EarlierPage.self]

  /// Writes once, as the earlier version of the app does.
  mutating func writeEarlier() async throws {
    let page = "\(number())"
    switch Int.random(in: 0..<10, using: &random) {
    case 0: try await store.save(EarlierPage(id: page, mood: .glad, views: number()))
    case 1:
      let count = number()
      try await store.updateAll(EarlierPage.where { $0.id == page }) { $0.views.increment(by: count) }
    case 2: try await store.deleteAll(EarlierPage.where { $0.id == page })
    case 3: try await write(among: 22..<24)
    case 4: try await write(among: 25..<29)
    default: try await write(among: 0..<18)
    }
  }
}
