import Foundation
import Larder
import LarderTestSupport
import Synchronization

/// A process that writes in every way at once until it is killed, and says each thing that was acknowledged.
public struct KillWorker: Sendable {
  let path: String
  /// The number of this run of a writer, which no other run on the file has.
  let writer: Int
  let seed: UInt64

  public init(path: String, writer: Int, seed: UInt64) {
    self.path = path
    self.writer = writer
    self.seed = seed
  }

  public func run() async throws {
    let store = try KillStore.open(path)
    ProvingProcess.say("ready")
    let identifiers = Atomic<Int>(writer * KillStore.span)
    let next: @Sendable () -> Int = { identifiers.add(1, ordering: .relaxed).newValue }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await repeating { try await transfer(store, next(), &$0) } }
      group.addTask { try await repeating { try await transfer(store, next(), &$0) } }
      group.addTask { try await count(store) }
      // Several tasks that save single rows are committed in groups.
      for _ in 0..<4 { group.addTask { try await repeating { _ in try await note(store, next()) } } }
      group.addTask { try await repeating { try await document(store, next(), &$0) } }
      group.addTask { try await repeating { try await attachment(store, next(), &$0) } }
      group.addTask { try await repeating { _ in try await token(store, next()) } }
      group.addTask { try await contexts(store, next) }
      try await group.waitForAll()
    }
  }

  /// Calls the closure until the process is killed. A file that is in use for too long is no error: another process has
  /// it.
  private func repeating(_ body: (inout SplitMix64) async throws -> Void) async throws {
    var random = SplitMix64(seed: seed &+ UInt64(writer))
    while true {
      do {
        try await body(&random)
      } catch let error as StoreError where error.code == .busy {
        ProvingProcess.say("busy")
      } catch {
        ProvingProcess.say("error \(error)")
        throw error
      }
    }
  }

  private func transfer(_ store: Store, _ id: Int, _ random: inout SplitMix64) async throws {
    let source = Int.random(in: 0..<KillStore.accounts, using: &random)
    let target = (source + Int.random(in: 1..<KillStore.accounts, using: &random)) % KillStore.accounts
    let amount = Int.random(in: 1...50, using: &random)
    let fails = Int.random(in: 0..<8, using: &random) == 0
    do {
      try await store.write { db in
        guard var from = try db.find(KillAccount.self, source), var to = try db.find(KillAccount.self, target) else {
          throw Missing()
        }
        from.balance -= amount
        try db.update(from)
        if fails { throw Refused() }
        to.balance += amount
        try db.update(to)
        try db.insert(KillTransfer(id: id, source: ToOne(source), target: ToOne(target), amount: amount))
      }
      ProvingProcess.say("transfer \(id)")
    } catch is Refused {}
  }

  private func count(_ store: Store) async throws {
    var number = 0
    try await repeating { _ in
      number += 1
      try await store.save(KillCounter(id: writer, number: number))
      ProvingProcess.say("count \(writer) \(number)")
    }
  }

  private func note(_ store: Store, _ id: Int) async throws {
    try await store.insert(KillNote(id: id, text: KillStore.text(of: id)))
    ProvingProcess.say("note \(id)")
  }

  private func document(_ store: Store, _ id: Int, _ random: inout SplitMix64) async throws {
    let isOften = Int.random(in: 0..<4, using: &random) == 0
    try await store.documents("kept").save(
      "\(id)", ["number": .integer(Int64(id)), isOften ? "often" : "seldom\(id % 7)": true])
    ProvingProcess.say("document \(id)")
  }

  private func attachment(_ store: Store, _ id: Int, _ random: inout SplitMix64) async throws {
    let content = try await store.attach(Data(KillStore.bytes(of: id)))
    try await store.insert(KillNote(id: id, text: KillStore.text(of: id), content: content))
    if Int.random(in: 0..<3, using: &random) == 0 {
      try await store.delete(KillNote.self, id)
      ProvingProcess.say("deleted \(id)")
    } else {
      ProvingProcess.say("attachment \(id)")
    }
  }

  private func token(_ store: Store, _ id: Int) async throws {
    try await store.insert(KillToken(id: id), expires: Date(timeIntervalSinceNow: 0.05))
    ProvingProcess.say("token \(id)")
  }

  private func contexts(_ store: Store, _ next: @escaping @Sendable () -> Int) async throws {
    try await repeating { _ in
      let id = next()
      let partner = next()
      // Contexts block their thread, which one of Swift's pool must not be for long.
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        Thread.detachNewThread {
          continuation.resume(
            with: Result {
              let context = Context(store)
              context.insert(KillHalf(id: id, partner: partner))
              context.insert(KillHalf(id: partner, partner: id))
              try context.save()
            })
        }
      }
      ProvingProcess.say("half \(id)")
    }
  }

  private struct Missing: Error {}
  private struct Refused: Error {}
}
