import Foundation
import Larder
import LarderTestSupport
import Synchronization
import Testing

/// Single writes of many tasks share transactions; each is answered for itself.
@Suite(.timeLimit(.minutes(20))) struct GroupCommitTests {
  private static let durabilities: [Store.Configuration.Durability] = [.normal, .full]

  @Test("every save that was acknowledged is in the file, of 64 tasks at once", arguments: durabilities)
  func acknowledged(durability: Store.Configuration.Durability) async throws {
    let folder = try TemporaryFolder()
    let store = try Store(
      at: folder.file("a.larder"), for: Parcel.self, configuration: Store.Configuration(durability: durability))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<64 {
        group.addTask {
          for number in 0..<25 {
            let id = task * 100 + number
            try await store.save(Parcel(id: id))
            #expect(
              try await store.find(Parcel.self, id) == Parcel(id: id),
              "a save that was answered is seen by the next read")
          }
        }
      }
      try await group.waitForAll()
    }
    let other = try Store(at: folder.file("a.larder"), for: Parcel.self)
    #expect(
      try await other.fetch(Parcel.all.sorted(by: \.id)).map(\.id)
        == (0..<64).flatMap { task in (0..<25).map { task * 100 + $0 } })
  }

  @Test("a duplicate among writes that are committed together fails alone", arguments: durabilities, [true, false])
  func duplicate(durability: Store.Configuration.Durability, isInMemory: Bool) async throws {
    let folder = try TemporaryFolder()
    let configuration = Store.Configuration(durability: durability)
    let store =
      try isInMemory
      ? Store(inMemoryFor: Parcel.self, configuration: configuration)
      : Store(at: folder.file("a.larder"), for: Parcel.self, configuration: configuration)
    try await store.insert(Parcel(id: 0))
    // While the writer is in use, all of them line up behind it.
    let (begun, lined, arrivals) = (Gate(), Gate(), Barrier(64))
    async let held: Void = store.write { _ in
      begun.open()
      try lined.waitBlocking()
    }
    await begun.wait()
    async let outcomes = withTaskGroup(of: (Int, Result<Void, any Error>).self) { group in
      for id in 1...64 {
        group.addTask {
          arrivals.arrive()
          do {
            switch id % 8 {
            case 3: try await store.insert(Parcel(id: 0))
            case 5: try await store.save(Parcel(id: id, code: "code 0"))
            case 6: try await store.update(Parcel(id: id + 1000))
            case 7: try await store.insert(Parcel(id: id, weight: .nan))
            default: try await store.insert(Parcel(id: id))
            }
            return (id, .success(()))
          } catch {
            return (id, .failure(error))
          }
        }
      }
      return await group.reduce(into: [Int: Result<Void, any Error>]()) { $0[$1.0] = $1.1 }
    }
    await arrivals.wait()
    lined.open()
    try await held
    var expected = [0]
    for (id, outcome) in await outcomes {
      let code: StoreError.Code? = if case .failure(let error as StoreError) = outcome { error.code } else { nil }
      switch id % 8 {
      case 3, 5: #expect(code == .duplicate)
      case 6: #expect(code == .notFound)
      case 7: #expect(code == .invalidValue)
      default:
        #expect(throws: Never.self) { try outcome.get() }
        expected.append(id)
      }
    }
    #expect(try await store.fetch(Parcel.all.sorted(by: \.id)).map(\.id) == expected.sorted())
  }

  @Test("transactions, arrays and single writes of many tasks all happen") func mixed() async throws {
    try await withTemporaryStore(for: LedgerAccount.self, Parcel.self) { store in
      try LedgerAccount.fill(store)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<32 {
          group.addTask {
            for number in 0..<15 {
              let id = task * 1000 + number * 10
              switch (task + number) % 4 {
              case 0: try await store.insert(Parcel(id: id))
              case 1: try await store.save([Parcel(id: id), Parcel(id: id + 1)])
              case 2:
                try await store.write { db in
                  try db.insert(Parcel(id: id))
                  try LedgerAccount.transfer(
                    1, from: task % LedgerAccount.count, to: number % LedgerAccount.count, in: db)
                }
              default:
                try await store.save(Parcel(id: id))
                try await store.delete(Parcel.self, id)
                try await store.insert(Parcel(id: id))
              }
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try await store.count(Parcel.where { $0.weight == 1 }) == 32 * 15 + 32 * 15 / 4)
      #expect(try await store.sum(LedgerAccount.all, of: \.balance) == LedgerAccount.total)
    }
  }
}
