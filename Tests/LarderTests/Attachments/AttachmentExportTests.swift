import Foundation
import LarderArchive
import Testing

@testable import Larder

@Suite("Attachments: documents", .timeLimit(.minutes(5)))
struct AttachmentExportTests {
  @Test("D5: a value goes out to a document with its attachments, and comes back into another store")
  func roundTrip() async throws {
    let kept = try AttachmentStore()
    let (first, second) = (
      try await kept.store.attach(Data.sample(100_000), name: "a"), try await kept.store.attach(Data(), name: "b")
    )
    let letter = Letter(
      id: 1, title: "x\u{0}y", scan: first, pages: [LetterPage(number: 2, images: ["p": second, "q": first])])
    try await kept.store.save(letter)
    let folder = try DocumentFolder(at: kept.file.folder.appending(component: "letters"), extension: "letter")
    let package = try await kept.store.export(letter, to: folder)
    #expect(try Set(package.partNames()) == ["row", first.digest, second.digest])
    let other = try AttachmentStore()
    let imported = try await other.store.importDocument(try folder.document(named: package.name), as: Letter.self)
    #expect(imported == letter)
    #expect(try await other.store.find(Letter.self, 1) == letter)
    #expect(try await other.store.data(of: first) == Data.sample(100_000))
    #expect(try await other.store.verifyAttachments().isWhole)
    try await other.store.delete(imported)
    #expect(try await other.store.collectAttachments() == 2)
    let error = await #expect(throws: StoreError.self) {
      try await other.store.importDocument(package, as: LetterBox.self)
    }
    #expect(error?.code == .schemaMismatch)
  }
}
