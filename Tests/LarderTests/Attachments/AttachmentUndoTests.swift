import Foundation
import Testing

@testable import Larder

// The testing library has a type of the same name.
private typealias Attachment = Larder.Attachment

@Suite("Attachments in contexts", .timeLimit(.minutes(20)))
struct AttachmentUndoTests {
  private let kept: AttachmentStore
  private var store: Store { kept.store }

  init() throws { kept = try AttachmentStore() }

  /// Saves a letter with a scan, and keeps no value that would keep the bytes.
  private func saveLetter(_ id: Int, seed: UInt64 = 1) async throws {
    let scan = try await store.attach(.sample(100, seed: seed), name: "scan")
    try await store.insert(Letter(id: id, scan: scan, pages: [LetterPage(number: 1, images: ["a": scan])]))
  }

  private func scan(of id: Int) async throws -> Data? {
    try await store.find(Letter.self, id)?.scan.map { try store.blocking.data(of: $0) }
  }

  @Test("undo and redo bring rows back after a save, although their bytes could have been collected")
  func undoAfterSave() async throws {
    try await saveLetter(1)
    let context = Context(store)
    for _ in 0..<2 {
      context.delete(Letter.self, 1)
      try context.save()
      #expect(try await store.collectAttachments() == 0)
      #expect(context.undo())
      try context.save()
      #expect(try await scan(of: 1) == .sample(100))
      #expect(context.redo())
      try context.save()
      #expect(try await store.collectAttachments() == 0)
      #expect(context.undo())
      try context.save()
    }
    let letter = try #require(try await store.find(Letter.self, 1))
    context.update(Letter(id: 1))
    try context.save()
    #expect(try await store.collectAttachments() == 0)
    #expect(context.undo())
    try context.save()
    #expect(try await store.find(Letter.self, 1) == letter)
    #expect(try await store.verifyAttachments().isWhole)
  }

  @Test("the insertion of a row with an attachment is undone, saved and done again")
  func redoOfInsertion() async throws {
    let context = Context(store)
    try await {
      let scan = try await store.attach(.sample(100))
      try context.step { context.insert(Letter(id: 1, pages: [LetterPage(number: 1, images: ["a": scan])])) }
    }()
    try context.save()
    #expect(context.undo())
    try context.save()
    #expect(try await store.collectAttachments() == 0)
    #expect(context.redo())
    try context.save()
    #expect(
      try await store.find(Letter.self, 1)?.pages.first?.images["a"].map { try store.blocking.data(of: $0) }
        == .sample(100))
  }

  @Test(
    "a step of a child is undone after the child and its parent were saved, in the child or in the parent",
    arguments: [true, false])
  func children(inChild: Bool) async throws {
    try await saveLetter(1)
    let context = Context(store)
    var child: Context? = context.child()
    child?.delete(Letter.self, 1)
    try child?.save()
    if !inChild { child = nil }
    try context.save()
    #expect(try await store.collectAttachments() == 0)
    if let child {
      #expect(child.undo())
      try child.save()
    } else {
      #expect(context.undo())
    }
    try context.save()
    #expect(try await scan(of: 1) == .sample(100))
  }

  @Test("a pending row keeps its bytes when its value is gone, when a child handed it on, and when a save fails")
  func pending() async throws {
    let context = Context(store)
    try await {
      let child = context.child()
      child.insert(Letter(id: 1, scan: try await store.attach(.sample(100))))
      // What was undone and done again is read anew by the save, without the value that was inserted.
      #expect(child.undo())
      #expect(child.redo())
      try child.save()
    }()
    #expect(try await store.collectAttachments() == 0)
    try await store.insert(Letter(id: 1, title: "in the way"))
    #expect(throws: StoreError.self) { try context.save() }
    #expect(try await store.collectAttachments() == 0)
    #expect(context.refusals.isEmpty)
    try await store.delete(Letter.self, 1)
    try context.save()
    #expect(try await scan(of: 1) == .sample(100))
  }

  @Test("every context keeps what its own undo needs, and gives it back when it goes, rolls back or forgets the step")
  func givenBack() async throws {
    for id in 1...4 { try await saveLetter(id, seed: UInt64(id)) }
    #expect(kept.files.count == 4)
    var first: Context? = Context(store)
    let second = Context(store)
    #expect(first?.delete(Letter.self, 1) == true)
    try first?.save()
    second.update(Letter(id: 2))
    try second.save()
    second.delete(Letter.self, 3)
    #expect(try await store.collectAttachments() == 0)
    try await store.delete(Letter.self, 2)
    #expect(try await store.collectAttachments() == 0, "the second context can undo its update")
    first = nil
    #expect(try await store.collectAttachments() == 1)
    second.rollback()
    try await store.delete(Letter.self, 3)
    #expect(try await store.collectAttachments() == 1, "what was rolled back needs nothing")
    second.delete(Letter.self, 4)
    try second.save()
    #expect(second.undo())
    try second.save()
    #expect(second.undo())
    second.insert(LetterBox(id: 1))
    #expect(!second.canRedo)
    try await store.delete(Letter.self, 4)
    #expect(
      try await store.collectAttachments() == 1,
      "steps that cannot be done again need nothing, and a pending row needs its own")
    second.rollback()
    #expect(try await store.collectAttachments() == 1)
    #expect(kept.files.isEmpty)
  }
}
