import Foundation
import Larder
import LarderTestSupport
import Testing

@testable import LarderSync

@Suite("Sync: triggers of the program")
struct ProgramTriggerTests {
  /// A replica with a trigger of the program that was made before those of sync, or after them.
  private func replica(_ trigger: String, isFirst: Bool) async throws -> Replica {
    let folder = try TemporaryFolder()
    let replica = try Replica(folder: folder, configuration: isFirst ? .init() : .init(sync: .on))
    try await replica.store.writingModule { try $0.execute(trigger) }
    if isFirst { try await replica.store.sync.enable() }
    await replica.store.close()
    return try Replica(folder: folder)
  }

  private func expectSame(_ a: Replica, _ b: Replica) async throws {
    for (one, other) in [(a, b), (b, a)] { try await one.exchange(with: other) }
    try await expectEqual([a, b])
  }

  @Test("S20: a row that a trigger keeps from being deleted stays everywhere", arguments: [false, true])
  func kept(isFirst: Bool) async throws {
    let b = try Replica()
    let a = try await replica(
      """
      CREATE TRIGGER keeping BEFORE DELETE ON SharedKind WHEN old.title <> 'gone' BEGIN
        UPDATE SharedKind SET title = 'gone' WHERE id = old.id; SELECT RAISE(IGNORE); END
      """, isFirst: isFirst)
    try await a.store.insert(SharedKind(id: "k", title: "K"))
    try await expectSame(a, b)
    try a.executeOutside("DELETE FROM SharedKind")
    try await expectSame(a, b)
    #expect(try await b.store.fetch(SharedKind.all).map(\.title) == ["gone"])
    try a.executeOutside("DELETE FROM SharedKind")
    try await expectSame(a, b)
    #expect(try await b.store.count(SharedKind.all) == 0)
  }

  @Test("a trigger that ignores what an exchange changes makes it fail, unless it does nothing then")
  func ignoring() async throws {
    let b = try Replica()
    let a = try await replica(
      """
      CREATE TRIGGER keeping BEFORE DELETE ON SharedKind BEGIN SELECT RAISE(IGNORE); END;
      """, isFirst: false)
    try await a.store.insert(SharedKind(id: "k", title: "K"))
    try await expectSame(a, b)
    try await b.store.deleteAll(SharedKind.all)
    try await b.store.insert(SharedKind(id: "l", title: "L"))
    let error = await #expect(throws: StoreError.self) { try await a.exchange(with: b) }
    #expect(error?.message.contains("SharedKind can't be deleted") == true)
    #expect(error?.message.contains("is_applying") == true)
    #expect(try await a.store.fetch(SharedKind.all).map(\.id) == ["k"])
    try await a.store.writingModule { connection in
      try connection.execute("DROP TRIGGER keeping")
      try connection.execute(
        """
        CREATE TRIGGER keeping BEFORE INSERT ON SharedKind WHEN (SELECT is_applying FROM _larder_sync_clock) = 0
          BEGIN SELECT RAISE(IGNORE); END
        """)
    }
    try await expectSame(a, b)
    #expect(try await a.store.fetch(SharedKind.all).map(\.id) == ["l"])
    try await a.store.writingModule { connection in
      try connection.execute("DROP TRIGGER keeping")
      try connection.execute("CREATE TRIGGER keeping BEFORE INSERT ON SharedKind BEGIN SELECT RAISE(IGNORE); END")
    }
    try await b.store.insert(SharedKind(id: "m", title: "M"))
    let other = await #expect(throws: StoreError.self) { try await a.exchange(with: b) }
    #expect(other?.message.contains("SharedKind can't be inserted") == true)
    // Nothing of it is recorded, and others get what there is.
    let c = try Replica()
    try await c.exchange(with: a)
    #expect(try await c.store.fetch(SharedKind.all).map(\.id) == ["l"])
  }

  @Test(
    "S5, S20: rows that were kept once are deleted, or go with those to which they refer, also if that is themselves",
    arguments: [false, true])
  func keptTree(isFirst: Bool) async throws {
    let b = try Replica()
    let a = try await replica(
      """
      CREATE TRIGGER keeping BEFORE DELETE ON SharedCategory WHEN old.name NOT LIKE '%gone' BEGIN
        UPDATE SharedCategory SET name = old.name || ' gone' WHERE id = old.id; SELECT RAISE(IGNORE); END
      """, isFirst: isFirst)
    func write(_ sql: String) async throws { try await a.store.writingModule { try $0.execute(sql) } }
    var own = SharedCategory(name: "own")
    own.parent = ToOne(own.id)
    let top = SharedCategory(name: "top")
    try await a.store.insert([own, top, SharedCategory(name: "child", parent: ToOne(top.id))])
    try await expectSame(a, b)
    try await write("DELETE FROM SharedCategory")
    try await expectSame(a, b)
    #expect(try await b.store.count(SharedCategory.all) == 3)
    try await write("DELETE FROM SharedCategory WHERE name IN ('own gone', 'top gone')")
    #expect(try await a.statuses().values.sorted { $0.rawValue < $1.rawValue } == [.deleted, .deleted, .cascaded])
    try await expectSame(a, b)
    #expect(try await b.store.count(SharedCategory.all) == 0)
  }

  @Test("S20: a row that a trigger inserts again in its place is a new one", arguments: [false, true])
  func insertedAgain(isFirst: Bool) async throws {
    let b = try Replica()
    let a = try await replica(
      """
      CREATE TRIGGER returning_row AFTER DELETE ON SharedKind BEGIN
        INSERT INTO SharedKind (id, title) VALUES (old.id, 'again'); END
      """, isFirst: isFirst)
    try await a.store.insert(SharedKind(id: "k", title: "K"))
    try await expectSame(a, b)
    try a.executeOutside("DELETE FROM SharedKind")
    try await expectSame(a, b)
    #expect(try await b.store.fetch(SharedKind.all).map(\.title) == ["again"])
  }

  @Test(
    "S20: a row that is replaced is deleted everywhere, also if a trigger writes other unique values meanwhile",
    arguments: ["BEFORE", "AFTER"], [false, true])
  func nested(time: String, isFirst: Bool) async throws {
    let b = try Replica()
    let a = try await replica(
      """
      CREATE TRIGGER nested \(time) INSERT ON SharedTag BEGIN
        INSERT OR IGNORE INTO SharedSlot (shelf, number, "row", "column") VALUES ('s', 1, hex(new.id), 1); END
      """, isFirst: isFirst)
    try await a.store.insert(SharedTag(name: "x"))
    try await expectSame(a, b)
    for _ in 0..<2 {
      try a.executeOutside("INSERT OR REPLACE INTO SharedTag (id, name) VALUES (randomblob(16), 'x')")
      try await expectSame(a, b)
      #expect(try await b.store.count(SharedTag.all) == 1)
      #expect(try await b.store.count(SharedSlot.all) == 1)
    }
  }
}
