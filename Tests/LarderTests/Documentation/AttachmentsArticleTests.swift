import Foundation
import Larder
import Testing

private typealias Attachment = Larder.Attachment

@Model
private struct Postcard {
  var id: UUID = .v7()
  var text: String
  var picture: Larder.Attachment?
  var stamps: [Larder.Attachment] = []
}

@Suite("Documentation: Attachments", .timeLimit(.minutes(5)))
struct AttachmentsArticleTests {
  @Test("A9: a picture is attached, saved, read in every way and verified")
  func pictures() async throws {
    let store = try Store(inMemoryFor: Postcard.self)
    let bytes = Data(repeating: 7, count: 1_000_000)
    var card = Postcard(text: "Greetings from the sea")
    card.picture = try await store.attach(bytes, name: "sea.jpg", mediaType: "image/jpeg")
    try await store.save(card)
    let attachment = try #require(try await store.find(Postcard.self, card.id)?.picture)
    let picture = try await store.data(of: attachment)
    #expect(picture == bytes)
    let header = try await store.data(of: attachment, range: 0..<16)
    #expect(header == bytes.prefix(16))
    var received = 0
    for try await chunk in store.bytes(of: attachment) { received += chunk.count }
    #expect(received == bytes.count)
    let url = try await store.url(for: attachment)
    #expect(try Data(contentsOf: url) == bytes)
    let report = try await store.verifyAttachments()
    for problem in report.missing + report.damaged { print(problem.url.lastPathComponent, problem.references) }
    #expect(report.isWhole)
  }
}
