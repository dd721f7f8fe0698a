import Foundation
import Larder
import Testing

private typealias Postcard = AttachmentsArticle.Postcard

@Suite("Documentation: Attachments", .timeLimit(.minutes(20)))
@MainActor
struct AttachmentsArticleTests {
  @Test("A9: a picture is attached, saved, read in every way and verified")
  func pictures() async throws {
    let store = try Store(inMemoryFor: Postcard.self)
    let bytes = Data(repeating: 7, count: 1_000_000)
    var card = Postcard(text: "Greetings from the sea")
    card.picture = try await store.attach(bytes, name: "sea.jpg", mediaType: "image/jpeg")
    try await store.save(card)
    let attachment = try #require(try await store.find(Postcard.self, card.id)?.picture)
    var received = 0

    let picture = try await store.data(of: attachment)
    let header = try await store.data(of: attachment, range: 0..<16)
    for try await chunk in store.bytes(of: attachment) { received += chunk.count }
    let url = try await store.url(for: attachment)

    #expect(picture == bytes)
    #expect(header == bytes.prefix(16))
    #expect(received == bytes.count)
    #expect(try Data(contentsOf: url) == bytes)
    let report = try await store.verifyAttachments()
    for problem in report.missing + report.damaged { print(problem.url.lastPathComponent, problem.references) }
    #expect(report.isWhole)
  }
}
