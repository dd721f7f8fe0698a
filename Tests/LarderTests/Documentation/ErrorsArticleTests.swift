import Foundation
import Larder
import Testing

enum ErrorsArticle {
  @Model
  struct User {
    var id: UUID = .v7()
    @Attribute(.unique) var name: String
    var height: Double?
  }
}

@Suite("Documentation: Errors")
@MainActor
struct ErrorsArticleTests {
  private typealias User = ErrorsArticle.User

  @Test("an error names the model, the property and the remedy, and shows no value")
  func errors() async throws {
    let store = try Store(inMemoryFor: User.self)
    var shown: [String] = []
    func show(_ text: String) { shown.append(text) }
    let user = User(name: "ada")
    try await store.insert(user)

    do {
      try await store.insert(User(name: "ada"))
    } catch let error as StoreError where error.code == .duplicate {
      show("This \(error.property ?? "value") is taken.")
    }

    #expect(shown == ["This name is taken."])
    let error = await #expect(throws: StoreError.self) { try await store.insert(User(name: "bob", height: .nan)) }
    #expect(error?.code == .invalidValue)
    #expect(
      error?.description
        == "StoreError.invalidValue: User.height is NaN, which the database would store as NULL. Make the property optional and store nil instead."
    )
  }
}
