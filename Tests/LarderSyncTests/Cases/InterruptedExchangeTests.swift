import Foundation
import Larder
import LarderRandom
import Testing

@testable import LarderSync

@Suite("Sync: exchanges that end early")
struct InterruptedExchangeTests {
  @Test(
    "S19: an exchange that fails or is cancelled at any call is completed by the next one, nothing twice and nothing missing",
    .overEachTransport, arguments: [false, true])
  func failures(cancels: Bool) async throws {
    let (a, b) = (try Replica(), try Replica())
    var random = SplitMix64(seed: 5)
    for number in 0..<14 {
      let account = SharedAccount(name: "\(number)")
      let store = Bool.random(using: &random) ? a.store : b.store
      try await store.insert(account)
      try await store.insert(SharedCost(amount: number, account: ToOne(account)))
    }
    let images = (0..<2).map { randomBytes(300 << 10, seed: $0) }
    for (name, (replica, data)) in zip(["a", "b"], zip([a, b], images)) {
      try await replica.store.insert(SharedPicture(id: name, name: name, image: try await replica.store.attach(data)))
    }
    let route = try #require(SyncRoute.current)
    var calls = 0
    while true {
      let interruption = Interruption(after: calls, cancels: cancels)
      do {
        _ = try await Task { try await route.exchange(a, b, interruption) }.value
        break
      } catch  where error is Interruption.Failure || error is CancellationError {
        calls += 1
        #expect(try await a.store.check().isHealthy)
        #expect(try await b.store.check().isHealthy)
      }
    }
    #expect(calls > 4)
    try await a.exchange(with: b)
    try await expectEqual([a, b])
    #expect(try await a.store.count(SharedCost.all) == 14)
    for replica in [a, b] {
      #expect(try await replica.data(of: "a") == images[0])
      #expect(try await replica.data(of: "b") == images[1])
      #expect(try replica.attachmentFiles().arriving.isEmpty)
    }
  }

  @Test("a cancelled exchange leaves both sides whole")
  func cancellation() async throws {
    let (a, b) = (try Replica(), try Replica())
    try await b.store.insert((0..<2000).map { SharedKind(id: "\($0)", title: "t") })
    let task = Task { try await a.exchange(with: b) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await a.store.check().isHealthy)
    try await a.exchange(with: b)
    try await expectEqual([a, b])
  }

  @Test("live results show what an exchange has changed")
  func liveResults() async throws {
    let (a, b) = (try Replica(), try Replica())
    try await b.store.insert(SharedKind(id: "a", title: "A"))
    var results = a.store.live(SharedKind.all).makeAsyncIterator()
    #expect(try await results.next()?.isEmpty == true)
    try await a.exchange(with: b)
    #expect(try await results.next()?.map(\.title) == ["A"])
  }

  @Test("a context with unsaved changes is told of a row that an exchange has changed")
  func context() async throws {
    let (a, b) = (try Replica(), try Replica())
    try await a.store.insert(SharedKind(id: "a", title: "A"))
    try await a.exchange(with: b)
    try await b.store.updateAll(SharedKind.all) { $0.title.set("B") }
    let context = Context(a.store)
    var kind = try #require(try context.find(SharedKind.self, "a"))
    kind.title = "C"
    context.update(kind)
    try await a.exchange(with: b)
    #expect {
      try context.save()
    } throws: { error in
      (error as? StoreError)?.code == .conflict
    }
  }
}
