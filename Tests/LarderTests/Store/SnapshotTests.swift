import Foundation
import Larder
import LarderTestSupport
import Testing

@Suite(.timeLimit(.minutes(20))) struct SnapshotTests {
  @Test("a snapshot sees one commit while writes go on") func consistent() async throws {
    try await withTemporaryStore(for: Parcel.self) { store in
      try await store.insert(Parcel(id: 1))
      let (begun, written) = (Gate(), Gate())
      async let counts = store.read { db in
        begun.open()
        try written.waitBlocking()
        let first = try db.count(Parcel.all)
        let rows = try db.fetch(Parcel.all).count
        return [first, rows, try db.sql("select count(*) from \(Parcel.self)", as: Int.self)[0]]
      }
      await begun.wait()
      try await store.insert(Parcel(id: 2))
      try await store.deleteAll(Parcel.where { $0.id == 1 })
      try await store.insert([Parcel(id: 3), Parcel(id: 4)])
      #expect(try await store.count(Parcel.all) == 3)
      written.open()
      #expect(try await counts == [1, 1, 1])
      #expect(try await store.read { try $0.count(Parcel.all) } == 3)
    }
  }

  @Test("reads never see half a transaction, however many run beside it") func atomic() async throws {
    try await withTemporaryStore(for: LedgerAccount.self) { store in
      try LedgerAccount.fill(store)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          for number in 0..<150 {
            try await store.write { db in
              try LedgerAccount.transfer(
                number, from: number % LedgerAccount.count, to: (number + 3) % LedgerAccount.count, in: db)
            }
          }
        }
        for _ in 0..<4 {
          group.addTask {
            for _ in 0..<100 {
              #expect(try await store.sum(LedgerAccount.all, of: \.balance) == LedgerAccount.total)
              let balances = try await store.read { try $0.fetch(LedgerAccount.all).map(\.balance) }
              #expect(balances.reduce(0, +) == LedgerAccount.total)
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }

  @Test("reads run side by side, as many as there are readers") func concurrent() async throws {
    try await withTemporaryStore(for: Parcel.self, configuration: Store.Configuration(readers: 6)) { store in
      let barrier = Barrier(6)
      let answers = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<6 {
          group.addTask {
            try await store.read { db in
              // Nobody leaves before all are in.
              try barrier.arriveAndWait()
              return try db.count(Parcel.all)
            }
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(answers == Array(repeating: 0, count: 6))
    }
  }

  @Test("more reads than readers all come to their turn", arguments: [1, 2])
  func waiting(readers: Int) async throws {
    try await withTemporaryStore(for: Parcel.self, configuration: Store.Configuration(readers: readers)) { store in
      try await store.insert(Parcel(id: 1))
      let answers = try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<100 {
          group.addTask {
            number % 2 == 0
              ? try await store.read { try $0.count(Parcel.all) } : try await store.fetch(Parcel.all).count
          }
        }
        return try await group.reduce(0, +)
      }
      #expect(answers == 100)
    }
  }

  @Test("a read does not wait for a write, and sees the state before it") func besideWrite() async throws {
    try await withTemporaryStore(for: Parcel.self) { store in
      let (begun, read) = (Gate(), Gate())
      async let written: Void = store.write { db in
        try db.insert(Parcel(id: 1))
        begun.open()
        try read.waitBlocking()
      }
      await begun.wait()
      #expect(try await store.count(Parcel.all) == 0)
      #expect(try store.blocking.fetch(Parcel.all).isEmpty)
      read.open()
      try await written
      #expect(try await store.count(Parcel.all) == 1)
    }
  }
}
