import Foundation
import LarderTestSupport
import Testing

@testable import Larder

/// A context writes rows in the place of expired ones.
@Suite("Context: rows in the place of expired ones")
struct ContextReplacedExpiryTests {
  private let time = SteppedTime()
  private let store: Store

  init() throws {
    store = try Store(
      inMemoryFor: ExpiryPermit.self, ExpiryTicket.self, ExpiryGate.self, ExpiryStamp.self, ExpirySeal.self,
      configuration: time.configuration)
    store.sweeper.stop()
  }

  private func stored(_ table: String) throws -> [Int64] {
    try store.withReader {
      try $0.query("SELECT id FROM main.\"\(table)\" ORDER BY id").compactMap { $0["id"]?.integer }
    }
  }

  @Test("the first change of a context applies the delete rules of the expired row whose key it takes")
  func firstChange() throws {
    try store.blocking.save(ExpiryPermit(id: 1), expires: time.now + 10)
    try store.blocking.insert(ExpiryPermit(id: 2, code: "a", parent: ToOne(1)))
    try store.blocking.insert(ExpiryStamp(id: 1, permit: ToOne(1)))
    time.pass(11)
    for db: any StoreWriter in [Context(store), store.blocking] {
      try db.save([ExpiryPermit(id: 1), ExpiryPermit(id: 3, code: "a")])
      #expect(try db.fetch(ExpiryPermit.all.sorted(by: \.id)).map(\.id) == [1, 3])
      #expect(try db.count(ExpiryStamp.all) == 0)
      if let context = db as? Context { context.rollback() }
    }
  }

  @Test("what had expired and went with the replaced row is gone after the save, as in a store")
  func hidden() throws {
    func begin() throws {
      try store.blocking.save(ExpiryPermit(id: 1), expires: time.now + 10)
      try store.blocking.save(ExpiryTicket(id: 1, permit: ToOne(1)), expires: time.now + 5)
      try store.blocking.save(ExpiryTicket(id: 2, spare: ToOne(1)), expires: time.now + 5)
      time.pass(11)
    }
    try begin()
    let context = Context(store)
    try context.save(ExpiryPermit(id: 1))
    try context.save()
    #expect(try stored("ExpiryTicket") == [2])
    #expect(try store.withReader { try $0.query("SELECT spare FROM main.ExpiryTicket") }.map { $0["spare"] } == [.null])
    try store.blocking.delete(ExpiryPermit.self, 1)
    try begin()
    try store.blocking.save(ExpiryPermit(id: 1))
    #expect(try stored("ExpiryTicket") == [2])
  }

  @Test("a replaced row that reappears because a clock was set back is a conflict, and nothing is lost")
  func reappeared() throws {
    try store.blocking.save(ExpiryPermit(id: 1, text: "old"), expires: time.now + 10)
    time.pass(11)
    let context = Context(store)
    context.insert(ExpiryPermit(id: 1, text: "new"))
    time.leap(-1000)
    let error = #expect(throws: StoreError.self) { try context.save() }
    #expect(error?.code == .conflict)
    #expect(context.hasChanges)
    #expect(try store.blocking.find(ExpiryPermit.self, 1)?.text == "old")
  }
}
