import Foundation
import Larder
import LarderTestSupport
import Testing

@Suite(.timeLimit(.minutes(20))) struct TransactionTests {
  struct Rollback: Error, Equatable { var number = 0 }

  private func withStores(_ body: (Store) async throws -> Void) async throws {
    try await body(try Store(inMemoryFor: Parcel.self))
    try await withTemporaryStore(for: Parcel.self) { try await body($0) }
  }

  @Test("any error in write rolls all of it back and is thrown on") func rollback() async throws {
    try await withStores { store in
      try await store.insert(Parcel(id: 1))
      await #expect(throws: Rollback(number: 7)) {
        try await store.write { db in
          try db.insert(Parcel(id: 2))
          try db.delete(Parcel.self, 1)
          try db.updateAll(Parcel.all) { $0.weight.set(9) }
          #expect(try db.fetch(Parcel.all).map(\.id) == [2])
          throw Rollback(number: 7)
        }
      }
      #expect(throws: Rollback.self) {
        try store.blocking.write { db in
          try db.insert(Parcel(id: 3))
          throw Rollback()
        }
      }
      #expect(try await store.fetch(Parcel.all) == [Parcel(id: 1)])
    }
  }

  @Test("an error that the closure catches does not undo what else it did") func caught() async throws {
    try await withStores { store in
      try await store.insert(Parcel(id: 1))
      try await store.write { db in
        try db.insert(Parcel(id: 2))
        #expect(throws: StoreError.self) { try db.insert(Parcel(id: 1)) }
        #expect(throws: StoreError.self) { try db.insert([Parcel(id: 3), Parcel(id: 4, code: "code 1")]) }
        try db.insert(Parcel(id: 5))
      }
      #expect(try await store.fetch(Parcel.all.sorted(by: \.id)).map(\.id) == [1, 2, 5])
    }
  }

  @Test("write gives back what the closure returns") func result() async throws {
    try await withStores { store in
      let count = try await store.write { db in
        try db.insert(Parcel(id: 4))
        return try db.count(Parcel.all)
      }
      #expect(count == 1)
      #expect(try store.blocking.write { db in try db.deleteAll(Parcel.all) } == 1)
    }
  }

  @Test("an inner savepoint that fails is undone alone, at any depth") func savepoints() async throws {
    try await withStores { store in
      try await store.write { db in
        try db.insert(Parcel(id: 1))
        #expect(throws: Rollback(number: 2)) {
          try db.savepoint { db in
            try db.insert(Parcel(id: 2))
            try db.savepoint { try $0.insert(Parcel(id: 20)) }
            throw Rollback(number: 2)
          }
        }
        try db.savepoint { db in
          try db.insert(Parcel(id: 3))
          #expect(throws: StoreError.self) {
            try db.savepoint { db in
              try db.insert(Parcel(id: 4))
              try db.savepoint { db in
                try db.insert(Parcel(id: 5))
                try db.insert(Parcel(id: 1))
              }
            }
          }
          #expect(try db.fetch(Parcel.all.sorted(by: \.id)).map(\.id) == [1, 3])
          try db.insert(Parcel(id: 6))
        }
        let answer = try db.savepoint { try $0.count(Parcel.all) }
        #expect(answer == 3)
      }
      #expect(try await store.fetch(Parcel.all.sorted(by: \.id)).map(\.id) == [1, 3, 6])
    }
  }

  @Test("an error after a savepoint undoes the savepoint as well") func savepointsRollBack() async throws {
    try await withStores { store in
      await #expect(throws: Rollback.self) {
        try await store.write { db in
          try db.savepoint { try $0.insert(Parcel(id: 1)) }
          throw Rollback()
        }
      }
      #expect(try await store.count(Parcel.all) == 0)
      try await store.write { db in try db.savepoint { try $0.insert(Parcel(id: 1)) } }
      #expect(try await store.count(Parcel.all) == 1)
    }
  }

  @Test("what a transaction commits is in the file for others") func committed() async throws {
    let folder = try TemporaryFolder()
    let store = try Store(at: folder.file("a.larder"), for: Parcel.self)
    try await store.write { try $0.insert(Parcel(id: 1)) }
    let other = try Store(at: folder.file("a.larder"), for: Parcel.self)
    #expect(try await other.fetch(Parcel.all) == [Parcel(id: 1)])
  }
}
