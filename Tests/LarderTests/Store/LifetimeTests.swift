import Larder
import LarderTestSupport
import Testing

/// Programmers' mistakes that trap.
@Suite struct LifetimeTests {
  @Test("using a snapshot after its closure has returned traps") func snapshot() async {
    await #expect(processExitsWith: .failure) {
      let store = try Store(inMemoryFor: Parcel.self)
      let escaped = try store.blocking.read { Escape(value: $0) }
      _ = try escaped.value.count(Parcel.all)
    }
  }

  @Test("using a transaction after its closure has returned traps") func transaction() async {
    await #expect(processExitsWith: .failure) {
      let store = try Store(inMemoryFor: Parcel.self)
      let escaped = try store.blocking.write { Escape(value: $0) }
      try escaped.value.insert(Parcel(id: 1))
    }
    await #expect(processExitsWith: .failure) {
      let store = try Store(inMemoryFor: Parcel.self)
      let escaped = try store.blocking.write { Escape(value: $0) }
      try escaped.value.savepoint { _ in }
    }
  }

  @Test("an index over a property that has no column of its own traps") func index() async {
    await #expect(processExitsWith: .failure) {
      _ = try Store(inMemoryFor: Misindexed.self)
    }
  }

  @Test("what the traps above guard does not fail in itself") func control() async {
    await #expect(processExitsWith: .success) {
      let store = try Store(inMemoryFor: Parcel.self)
      try store.blocking.write { db in try db.savepoint { try $0.insert(Parcel(id: 1)) } }
      _ = try store.blocking.read { try Escape(value: $0).value.count(Parcel.all) }
    }
  }

  /// Carries what should not be carried out of a closure.
  struct Escape<Value> { var value: Value }

  @Embeddable struct Size: Hashable { var width = 1 }

  @Model struct Misindexed {
    var id: Int
    @Embedded var size: LifetimeTests.Size = LifetimeTests.Size()
    static var indexes: [Index<Self>] { [Index(\.size)] }
  }
}
