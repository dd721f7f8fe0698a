import Foundation
import Larder
import LarderTestSupport
import Synchronization
import Testing

/// Calls that wait for each other across threads: none waits for ever.
@Suite(.timeLimit(.minutes(20))) struct WaitingTests {
  /// Runs each closure on a thread of its own, and returns what it threw when all are done.
  private func onThreads(_ bodies: [@Sendable () throws -> Void]) async -> [(any Error)?] {
    await withTaskGroup(of: (Int, (any Error)?).self) { group in
      for (position, body) in bodies.enumerated() {
        group.addTask {
          await withCheckedContinuation { continuation in
            Thread.detachNewThread {
              do {
                try body()
                continuation.resume(returning: (position, nil))
              } catch {
                continuation.resume(returning: (position, error))
              }
            }
          }
        }
      }
      return await group.reduce(into: [(any Error)?](repeating: nil, count: bodies.count)) { $0[$1.0] = $1.1 }
    }
  }

  @Test("reads that write and a write that reads, on as many threads as there are readers, all end", arguments: 1...20)
  func nestedAcrossThreads(round: Int) async throws {
    try await withTemporaryStore(for: Parcel.self, configuration: Store.Configuration(readers: 4)) { store in
      // All five hold what they hold before the first of them asks for more.
      let holding = ThreadBarrier(5)
      let reads = (0..<4).map { number -> @Sendable () throws -> Void in
        {
          try store.blocking.read { _ in
            try holding.wait()
            try store.blocking.save(Parcel(id: number))
          }
        }
      }
      let write: @Sendable () throws -> Void = {
        try store.blocking.write { db in
          try holding.wait()
          try db.insert(Parcel(id: 10))
          #expect(try store.blocking.count(Parcel.all) == 0)
          #expect(try store.blocking.read { try $0.fetch(Parcel.all).count } == 0)
        }
      }
      let errors = await onThreads(reads + [write])
      #expect(errors.allSatisfy { $0 == nil })
      let count = try await store.count(Parcel.all)
      #expect(count == 5)
    }
  }

  @Test(
    "two threads that write to two stores in opposite orders: one is refused with the remedy, the other is done",
    arguments: 1...20)
  func oppositeOrders(round: Int) async throws {
    try await withTemporaryStore(for: Parcel.self) { first in
      try await withTemporaryStore(for: Parcel.self) { second in
        let holding = ThreadBarrier(2)
        func nested(_ outer: Store, _ inner: Store, _ id: Int) -> @Sendable () throws -> Void {
          {
            try outer.blocking.write { db in
              try db.insert(Parcel(id: id))
              try holding.wait()
              try inner.blocking.insert(Parcel(id: id))
            }
          }
        }
        let errors = await onThreads([nested(first, second, 1), nested(second, first, 2)])
        let refusals = errors.compactMap { $0 as? StoreError }
        #expect(refusals.count == 1)
        #expect(refusals.first?.code == .unsupported)
        #expect(refusals.first?.message.contains("same order") == true)
        let done = errors[0] == nil ? 1 : 2
        let rows = (try await first.fetch(Parcel.all), try await second.fetch(Parcel.all))
        #expect(rows.0.map(\.id) == [done])
        #expect(rows.1.map(\.id) == [done])
      }
    }
  }

  @Test("three stores in a circle: at least one thread is refused, and no thread waits for ever")
  func circle() async throws {
    let folder = try TemporaryFolder()
    let stores = try (0..<3).map { try Store(at: folder.file("\($0).larder"), for: Parcel.self) }
    let holding = ThreadBarrier(3)
    let errors = await onThreads(
      (0..<3).map { position in
        {
          try stores[position].blocking.write { db in
            try db.insert(Parcel(id: position))
            try holding.wait()
            try stores[(position + 1) % 3].blocking.insert(Parcel(id: 10 + position))
          }
        }
      })
    #expect(errors.contains { ($0 as? StoreError)?.code == .unsupported })
    #expect(errors.contains { $0 == nil })
  }

  @Test(
    "a call that stands in line for longer than the wait limit throws .busy, and is never done",
    arguments: [true, false])
  func waitLimit(isInMemory: Bool) async throws {
    let folder = try TemporaryFolder()
    let configuration = Store.Configuration(readers: 1, waitLimit: .milliseconds(50))
    let store =
      try isInMemory
      ? Store(inMemoryFor: Parcel.self, configuration: configuration)
      : Store(at: folder.file("a.larder"), for: Parcel.self, configuration: configuration)
    let (begun, ended) = (Gate(), Gate())
    let writing = Task {
      try await store.write { db in
        begun.open()
        try ended.waitBlocking()
        try db.insert(Parcel(id: 1))
      }
    }
    await begun.wait()
    let calls: [@Sendable () async throws -> Void] = [
      { try await store.insert(Parcel(id: 2)) }, { try await store.save([Parcel(id: 3)]) },
      { try await store.write { try $0.insert(Parcel(id: 4)) } }, { try store.blocking.insert(Parcel(id: 5)) },
    ]
    for call in calls {
      let error = await #expect(throws: StoreError.self) { try await call() }
      #expect(error?.code == .busy)
      #expect(error?.message.contains("waitLimit") == true)
    }
    ended.open()
    try await writing.value
    #expect(try await store.fetch(Parcel.all).map(\.id) == [1])
    try await store.insert(Parcel(id: 6))
    try store.blocking.insert(Parcel(id: 7))
    #expect(try await store.count(Parcel.all) == 3)
  }

  @Test("a reader that stands in line for longer than the wait limit throws .busy") func readerLimit() async throws {
    try await withTemporaryStore(
      for: Parcel.self, configuration: Store.Configuration(readers: 1, waitLimit: .milliseconds(50))
    ) { store in
      let (begun, ended) = (Gate(), Gate())
      let reading = Task {
        try await store.read { db in
          begun.open()
          try ended.waitBlocking()
          return try db.count(Parcel.all)
        }
      }
      await begun.wait()
      let calls: [@Sendable () async throws -> Void] = [
        { _ = try await store.count(Parcel.all) }, { try await store.read { _ in } },
        { _ = try store.blocking.fetch(Parcel.all) },
      ]
      for call in calls {
        let error = await #expect(throws: StoreError.self) { try await call() }
        #expect(error?.code == .busy)
      }
      ended.open()
      let counts = [try await reading.value, try await store.count(Parcel.all), try store.blocking.count(Parcel.all)]
      #expect(counts == [0, 0, 0])
    }
  }
}

/// Threads that go on when all of them are there.
private final class ThreadBarrier: Sendable {
  private let barrier: Barrier
  private let everybody = Gate()

  init(_ count: Int) {
    barrier = Barrier(count)
    Task { [barrier, everybody] in
      await barrier.wait()
      everybody.open()
    }
  }

  func wait() throws {
    barrier.arrive()
    try everybody.waitBlocking()
  }
}
