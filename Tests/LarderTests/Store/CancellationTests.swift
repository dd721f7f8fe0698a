import Foundation
import Larder
import LarderTestSupport
import Testing

/// A cancelled call ends in CancellationError, keeps nothing, and leaves a store that answers.
@Suite(.timeLimit(.minutes(20))) struct CancellationTests {
  private func withStores(_ body: (Store) async throws -> Void) async throws {
    try await body(try Store(inMemoryFor: Parcel.self))
    try await withTemporaryStore(for: Parcel.self, configuration: Store.Configuration(readers: 1)) {
      try await body($0)
    }
    try await withTemporaryStore(for: Parcel.self, configuration: Store.Configuration(durability: .full)) {
      try await body($0)
    }
  }

  private func expectCancelled(
    _ task: Task<some Sendable, any Error>, sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await #expect(throws: CancellationError.self, sourceLocation: sourceLocation) { _ = try await task.value }
  }

  private func expectAnswers(_ store: Store, rows: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws
  {
    for _ in 0..<3 { #expect(try await store.fetch(Parcel.all).count == rows, sourceLocation: sourceLocation) }
    try await store.insert(Parcel(id: 1_000_000))
    #expect(try await store.delete(Parcel.self, 1_000_000), sourceLocation: sourceLocation)
  }

  @Test("A7: a call of a task that was cancelled before does nothing, whatever the verb") func before() async throws {
    try await withStores { store in
      try await store.insert(Parcel(id: 1))
      let calls: [@Sendable () async throws -> Void] = [
        { _ = try await store.find(Parcel.self, 1) }, { _ = try await store.fetch(Parcel.all) },
        { _ = try await store.count(Parcel.all) },
        { _ = try await store.rows(Parcel.all) }, { _ = try await store.sql("select 1") },
        { try await store.read { _ in } },
        { try await store.insert(Parcel(id: 2)) }, { try await store.save(Parcel(id: 3)) },
        { try await store.save([Parcel(id: 4)]) },
        { try await store.update(Parcel(id: 1, weight: 9)) }, { try await store.delete(Parcel.self, 1) },
        { try await store.deleteAll(Parcel.all) },
        { try await store.updateAll(Parcel.all) { $0.weight.set(9) } },
        { try await store.write { try $0.insert(Parcel(id: 5)) } },
        { try await store.once("never") { try $0.insert(Parcel(id: 6)) } },
        { for try await _ in store.stream(Parcel.all) {} },
        { try await store.sql("delete from \(Parcel.self)") },
      ]
      for call in calls {
        let gate = Gate()
        let task = Task {
          await gate.wait()
          try await call()
        }
        task.cancel()
        gate.open()
        await expectCancelled(task)
      }
      #expect(try await store.fetch(Parcel.all) == [Parcel(id: 1)])
      #expect(try await store.once("never") { _ in })
    }
  }

  @Test("A7: a call that stands in line when it is cancelled ends at once, and is never done")
  func inLine() async throws {
    try await withStores { store in
      let (begun, lined, arrivals) = (Gate(), Gate(), Barrier(4))
      let held = Task {
        try await store.write { db in
          begun.open()
          try lined.waitBlocking()
          try db.insert(Parcel(id: 1))
        }
      }
      await begun.wait()
      let calls: [@Sendable () async throws -> Void] = [
        { try await store.insert(Parcel(id: 2)) }, { try await store.save([Parcel(id: 3)]) },
        { try await store.write { try $0.insert(Parcel(id: 4)) } },
        { try await store.delete(Parcel.self, 1) },
      ]
      let waiting = calls.map { call in
        Task {
          arrivals.arrive()
          try await call()
        }
      }
      await arrivals.wait()
      let kept = Task { try await store.insert(Parcel(id: 5)) }
      for task in waiting { task.cancel() }
      // The writer is still in use: they do not wait for it.
      for task in waiting { await expectCancelled(task) }
      lined.open()
      try await held.value
      try await kept.value
      #expect(try await store.fetch(Parcel.all.sorted(by: \.id)).map(\.id) == [1, 5])
    }
  }

  @Test("A7: a query that runs is interrupted") func runningQuery() async throws {
    try await withStores { store in
      let running = Gate()
      let task = Task { try await store.sql(Beacon.endless(running), as: Beacon.self).count }
      await running.wait()
      task.cancel()
      await expectCancelled(task)
      try await expectAnswers(store, rows: 0)
    }
  }

  @Test("A7: a read that runs is interrupted, in the statement at work or at the next one")
  func runningRead() async throws {
    try await withStores { store in
      let running = Gate()
      let first = Task { try await store.read { try $0.sql(Beacon.endless(running), as: Beacon.self).count } }
      await running.wait()
      first.cancel()
      await expectCancelled(first)

      let (begun, cancelled) = (Gate(), Gate())
      let second = Task {
        try await store.read { db in
          begun.open()
          try cancelled.waitBlocking()
          return try db.sql(Beacon.endless(Gate()), as: Beacon.self).count
        }
      }
      await begun.wait()
      second.cancel()
      cancelled.open()
      await expectCancelled(second)
      try await expectAnswers(store, rows: 0)
    }
  }

  @Test("A7: a read that asks many short questions ends soon after it is cancelled") func manyQuestions() async throws {
    try await withStores { store in
      let begun = Gate()
      let task = Task {
        try await store.read { db in
          begun.open()
          while true { _ = try db.count(Parcel.all) }
        }
      }
      await begun.wait()
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      try await expectAnswers(store, rows: 0)
    }
  }

  @Test("A7: a write that is interrupted in a statement keeps nothing") func runningWrite() async throws {
    try await withStores { store in
      let running = Gate()
      let task = Task {
        try await store.write { db in
          try db.insert(Parcel(id: 1))
          _ = try db.sql(Beacon.endless(running), as: Beacon.self)
        }
      }
      await running.wait()
      task.cancel()
      await expectCancelled(task)
      #expect(try await store.count(Parcel.all) == 0)
      try await expectAnswers(store, rows: 0)
    }
  }

  @Test("A7: a write whose task is cancelled between statements keeps nothing, even if the closure ends well")
  func betweenStatements() async throws {
    try await withStores { store in
      for isOnce in [false, true] {
        let (begun, cancelled) = (Gate(), Gate())
        let body: @Sendable (Transaction) throws -> Void = { db in
          try db.insert(Parcel(id: 1))
          begun.open()
          try cancelled.waitBlocking()
        }
        let task = Task {
          if isOnce { try await store.once("name", body) } else { try await store.write(body) }
        }
        await begun.wait()
        task.cancel()
        cancelled.open()
        await expectCancelled(task)
        #expect(try await store.count(Parcel.all) == 0)
      }
      #expect(try await store.once("name") { _ in })
      try await expectAnswers(store, rows: 0)
    }
  }

  @Test("A7: a write that catches its interruption keeps nothing either, not even through a savepoint")
  func caught() async throws {
    try await withStores { store in
      let running = Gate()
      let task = Task {
        try await store.write { db in
          try db.insert(Parcel(id: 1))
          try? db.savepoint { db in
            try db.insert(Parcel(id: 2))
            _ = try db.sql(Beacon.endless(running), as: Beacon.self)
          }
          try? db.insert(Parcel(id: 3))
        }
      }
      await running.wait()
      task.cancel()
      await expectCancelled(task)
      #expect(try await store.count(Parcel.all) == 0)
      try await expectAnswers(store, rows: 0)
    }
  }

  @Test(
    "B10: of a thousand slow reads that are cancelled each ends in CancellationError, and the store answers the next call at once"
  )
  func thousandReads() async throws {
    try await withTemporaryStore(for: Parcel.self, configuration: Store.Configuration(readers: 4)) { store in
      try await store.insert(Parcel(id: 1))
      // Each of the four connections is at work, and all the other calls stand in line, when they are cancelled.
      let running = (0..<4).map { _ in Gate() }
      let first = running.map { gate in Task { try await store.sql(Beacon.endless(gate), as: Beacon.self).count } }
      for gate in running { await gate.wait() }
      let arrivals = Barrier(996)
      let others = (0..<996).map { number in
        Task {
          arrivals.arrive()
          if number.isMultiple(of: 2) { return try await store.sql(Beacon.endless(Gate()), as: Beacon.self).count }
          return try await store.read { try $0.sql(Beacon.endless(Gate()), as: Beacon.self).count }
        }
      }
      await arrivals.wait()
      for task in others { task.cancel() }
      for task in others { await expectCancelled(task) }
      for task in first { task.cancel() }
      for task in first { await expectCancelled(task) }
      try await expectAnswers(store, rows: 1)
    }
  }

  @Test("B10: a thousand slow reads are cancelled while others begin and end, and the store answers after each")
  func readsThatBegin() async throws {
    try await withTemporaryStore(for: Parcel.self, configuration: Store.Configuration(readers: 2)) { store in
      try await store.insert(Parcel(id: 1))
      func cancelRead() async throws {
        let running = Gate()
        let task = Task { try await store.sql(Beacon.endless(running), as: Beacon.self).count }
        await running.wait()
        task.cancel()
        await expectCancelled(task)
        #expect(try await store.find(Parcel.self, 1) != nil)
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<8 { group.addTask { for _ in 0..<125 { try await cancelRead() } } }
        try await group.waitForAll()
      }
    }
  }

  @Test("cancelling a call after it was answered disturbs nobody") func after() async throws {
    try await withStores { store in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<40 {
          group.addTask {
            let task = Task { try await store.insert(Parcel(id: number)) }
            try await task.value
            task.cancel()
          }
          group.addTask { _ = try await store.fetch(Parcel.all) }
        }
        try await group.waitForAll()
      }
      #expect(try await store.count(Parcel.all) == 40)
    }
  }

  @Test("of many writes of which half are cancelled, those that were answered are there and the others are not")
  func halves() async throws {
    try await withStores { store in
      let tasks = (0..<64).map { number in
        Task {
          if number % 3 == 0 {
            try await store.write { try $0.insert(Parcel(id: number)) }
          } else {
            try await store.insert(Parcel(id: number))
          }
        }
      }
      for number in stride(from: 0, to: 64, by: 2) { tasks[number].cancel() }
      var expected: Set<Int> = []
      for (number, task) in tasks.enumerated() {
        do {
          try await task.value
          expected.insert(number)
        } catch is CancellationError {
          #expect(number % 2 == 0, "nobody cancelled this one")
        }
      }
      #expect(Set(try await store.fetch(Parcel.all).map(\.id)) == expected)
    }
  }
}
