import Foundation
import Larder
import Testing

@Model(expires: true)
struct LoginCode {
  var id: UUID = .v7()
  var code: String
  var person: String
}

@Suite("Documentation: Expiry")
@MainActor
struct ExpiryArticleTests {
  @Test("rows are saved with a date, which can be read and changed")
  func dates() async throws {
    let store = try Store(inMemoryFor: LoginCode.self)
    let code = LoginCode(code: "7F3A", person: "ada")
    try await store.save(code, expires: .now + 600)
    try await store.setExpiry(of: LoginCode.self, code.id, to: .now + 3600)
    let end = try await store.expiry(of: LoginCode.self, code.id)
    #expect(end.map { $0 > .now + 3000 } == true)
    try await store.removeExpired()
    #expect(try await store.count(LoginCode.all) == 1)
  }

  @Test("a test sets the clock")
  func clock() async throws {
    let clock = TestClock()
    let store = try Store(inMemoryFor: LoginCode.self, configuration: Store.Configuration(now: { clock.now }))
    try await store.save(LoginCode(code: "00FF", person: "bo"), expires: clock.now + 60)
    clock.advance(by: 60)
    let count = try await store.count(LoginCode.all)
    #expect(count == 0)
  }
}
