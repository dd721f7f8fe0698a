import Foundation
import Larder
import LarderTestSupport
import Testing

/// The same changes in plain Swift, in a store and, not saved yet, in a context over another one: all show the same,
/// refuse the same, and are saved as they are.
@Suite("Context: what a store does, a context does", .timeLimit(.minutes(20)))
struct ContextMirrorTests {
  /// What a change answered, and whether that is right.
  private struct Outcome {
    let text: String
    let code: StoreError.Code?

    init(_ change: MirroredChange, _ db: some StoreWriter) {
      do {
        (text, code) = ("\(try change.perform(db))", nil)
      } catch let error as StoreError {
        (text, code) = ("\(error.code)", error.code)
      } catch {
        (text, code) = ("\(error)", nil)
      }
    }

    func agrees(with expected: Result<Int, any Error>) -> Bool {
      switch expected {
      case .success(let count): text == "\(count)"
      case .failure(let refusal): code.map { (refusal as? PlainFolders.Refusal)?.codes.contains($0) ?? false } ?? false
      }
    }
  }

  private static func store() throws -> Store {
    try Store(inMemoryFor: Mirrored.Folder.self, Mirrored.Mark.self, Mirrored.Pin.self)
  }

  @Test(
    "random changes do the same in plain Swift, a store, a context and its child, before they are saved and afterwards",
    arguments: 0..<9)
  func mirror(_ number: Int) throws {
    let seed = TestSeed.value &+ UInt64(number)
    var generator = SplitMix64(seed: seed)
    let (stored, mirrored) = (try Self.store(), try Self.store())
    let context = Context(mirrored)
    let child = context.child()
    let isChild = number.isMultiple(of: 3)
    var plain = PlainFolders()
    for round in 0..<60 {
      let change = MirroredChange(&generator)
      let place = "seed \(seed), round \(round), \(change)"
      let before = plain
      let expected = Result { try plain.perform(change) }
      let found = isChild ? Outcome(change, child) : Outcome(change, context)
      try #require(found.agrees(with: expected), "\(place): \(found.text), and plain Swift \(expected)")
      let answer = Outcome(change, stored.blocking)
      if answer.code == .invalidValue, case .success = expected {
        // The triggers of the file look at a sum after each row of a statement, and a context when all rows have
        // changed.
        plain = before
        try #require(isChild ? child.undo() : context.undo(), "\(place)")
        continue
      }
      try #require(answer.agrees(with: expected), "\(place), stored: \(answer.text), and plain Swift \(expected)")
      #expect(answer.code == found.code, "\(place)")
      let state = plain.dump
      try #require(try PlainFolders.dump(stored.blocking) == state, "\(place), stored")
      try #require(try isChild ? PlainFolders.dump(child) == state : PlainFolders.dump(context) == state, "\(place)")
      guard generator.once(in: 5) else { continue }
      /// Returns false if the file refuses a sum in between: its triggers look at the sum after each row.
      func save(_ when: String) throws -> Bool {
        do {
          if isChild { try child.save() }
          try context.save()
          return true
        } catch let error as StoreError where error.code == .invalidValue {
          return false
        } catch {
          Issue.record("\(place), \(when): \(error)")
          throw error
        }
      }
      guard try save("saved") else { return }
      try #require(try PlainFolders.dump(mirrored.blocking) == state, "\(place), saved")
      guard generator.once(in: 3) else { continue }
      // What was saved is taken back and done again.
      let undone = (0..<3).count { _ in isChild ? child.undo() : context.undo() }
      guard try save("undone") else { return }
      for _ in 0..<undone { _ = isChild ? child.redo() : context.redo() }
      guard try save("done again") else { return }
      try #require(try PlainFolders.dump(mirrored.blocking) == state, "\(place), undone and done again")
    }
    TestSeed.tried(60, .operations, "operations in stores, contexts and children")
    #expect(try mirrored.blocking.verifyDerived() == [] && stored.blocking.verifyDerived() == [])
  }
}
