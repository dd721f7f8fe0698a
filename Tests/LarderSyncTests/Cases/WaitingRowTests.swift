import Foundation
import Larder
import LarderTestSupport
import Testing

@testable import LarderSync

/// The models of an app, whose next version knows more metals. They are alike on purpose, and have the same names.
private enum First {
  enum Metal: String, Codable, Sendable { case gold, silver }

  @Model("Chest", expires: true) struct Chest: Hashable {
    var id: String
    @Relationship(deleteRule: .nullify, inverse: \First.Token.chest, ordered: true) var tokens: ToMany<First.Token> = []
  }
  @Model("Token", expires: true) struct Token: Hashable {
    var id: String
    var metal: Metal = .gold
    var worth = 0
    var name: String?
    @Attribute(name: "_name_position") var place = 0
    var chest: ToOne<Chest>?
  }
}

private enum Second {
  enum Metal: String, Codable, Sendable { case gold, silver, copper }

  @Model("Chest", expires: true) struct Chest: Hashable {
    var id: String
    @Relationship(deleteRule: .nullify, inverse: \Second.Token.chest, ordered: true) var tokens: ToMany<Second.Token> =
      []
  }
  @Model("Token", expires: true) struct Token: Hashable {
    var id: String
    var metal: Metal = .gold
    var worth = 0
    var name: String?
    @Attribute(name: "_name_position") var place = 0
    var chest: ToOne<Chest>?
  }
}

@Suite("Sync: rows that wait for an update of the app", .overEachTransport)
struct WaitingRowTests {
  private let new: Replica
  private var old: Replica

  init() throws {
    new = try Replica([Second.Chest.self, Second.Token.self])
    old = try Replica([First.Chest.self, First.Token.self])
  }

  private func meet() async throws {
    for _ in 0..<2 { try await old.exchange(with: new) }
  }

  /// The values that a replica lists as lost, by the names of their properties.
  private func lostValues(of replica: Replica) async throws -> [String: [Value]] {
    try await Dictionary(
      replica.store.sync.conflicts().map { conflict in
        guard case .value(let property) = conflict.kind else { return ("", [conflict.lost]) }
        return (property, [conflict.lost])
      }, uniquingKeysWith: +)
  }

  // MARK: Saving over one

  @Test("S16: what is saved over a waiting row is listed, except where both have the same value")
  func sameValues() async throws {
    let chest = Second.Chest(id: "c")
    try await new.store.save(chest)
    try await new.store.save(
      Second.Token(id: "a", metal: .copper, worth: 7, name: "n", place: 1, chest: ToOne(chest)),
      expires: Date(timeIntervalSinceNow: 1e6))
    try await old.exchange(with: new)
    #expect(try await old.store.find(First.Token.self, "a") == nil)
    try await old.store.save(First.Token(id: "a", metal: .silver, worth: 7))
    let expected: [String: [Value]] = [
      "metal": [.text("copper")], "name": [.text("n")], "place": [.integer(1)], "chest": [.text("c")],
    ]
    #expect(try await lostValues(of: old) == expected)
    try await meet()
    for replica in [old, new] {
      #expect(try await lostValues(of: replica) == expected)
      // What both have goes nowhere.
      #expect(
        try await replica.store.sql("SELECT count(*) FROM _larder_sync_conflicts", as: Int.self) == [expected.count])
    }
    // Whoever changes the value now knows what the row had.
    try await old.store.save(First.Token(id: "a", metal: .silver, worth: 8))
    try await meet()
    for replica in [old, new] { #expect(try await lostValues(of: replica) == expected) }
  }

  @Test("S16: a value that was saved over a waiting row, and loses against another one, is listed once")
  func sameValueLost() async throws {
    try await new.store.save(Second.Token(id: "a", metal: .copper, worth: 7))
    try await old.exchange(with: new)
    try await old.store.save(First.Token(id: "a", worth: 7))
    try await new.setClock(past: old)
    try await new.store.save(Second.Token(id: "a", metal: .copper, worth: 9))
    try await meet()
    for replica in [old, new] {
      #expect(try await lostValues(of: replica)["worth"] == [.integer(7)])
    }
    let conflict = try #require(
      try await old.store.sync.conflicts().first { $0.kind == .value(property: "worth") })
    try await old.store.sync.dismiss(conflict)
    try await meet()
    for replica in [old, new] {
      #expect(try await lostValues(of: replica)["worth"] == nil)
      #expect(try await replica.shownRows() == replica.expectedRows())
    }
  }

  @Test("S16: a row that was saved over with the same values, and is deleted, is forgotten", arguments: [false, true])
  func forgotten(isChangedFirst: Bool) async throws {
    try await new.store.save(Second.Token(id: "a", metal: .copper, worth: 7))
    try await old.exchange(with: new)
    try await old.store.save(First.Token(id: "a", metal: .gold, worth: 7))
    if isChangedFirst { try await old.store.save(First.Token(id: "a", metal: .gold, worth: 8)) }
    for conflict in try await old.store.sync.conflicts() { try await old.store.sync.dismiss(conflict) }
    try await meet()
    #expect(try await new.store.sync.conflicts().isEmpty)
    try await old.store.delete(First.Token.self, "a")
    try await meet()
    for replica in [old, new] {
      try await replica.store.writingModule { connection in
        try connection.transaction {
          let file = try ReplicaFile(connection)
          let rows = try connection.rows("SELECT id FROM \(SyncTables.rows)") { $0.integer(0) }
          #expect(try file.forget(rows) == 1)
        }
      }
    }
  }

  @Test(
    "S17: what was saved over a waiting row in a copied file is what the copy has written", arguments: [false, true])
  func copied(isChangedFirst: Bool) async throws {
    try await new.store.save(Second.Token(id: "a", metal: .copper, worth: 7, name: "n"))
    try await old.exchange(with: new)
    try await old.store.save(First.Token(id: "a", metal: .gold, worth: 7))
    if isChangedFirst { try await old.store.save(First.Token(id: "a", metal: .gold, worth: 6)) }
    let folder = try TemporaryFolder()
    try await old.store.backup(to: folder.file("test.larder"))
    let copy = try Replica(folder: folder, [First.Chest.self, First.Token.self])
    let replica = try await copy.store.sync.replica()
    #expect(try await old.store.sync.replica() != replica)
    try await copy.store.save(First.Token(id: "a", metal: .gold, worth: 8))
    try await copy.exchange(with: new)
    let expected: [String: [Value]] = ["metal": [.text("copper")], "name": [.text("n")]]
    for other in [copy, new] {
      #expect(try await lostValues(of: other) == expected)
      #expect(try await other.store.sync.conflicts().allSatisfy { $0.lostStamp.replica == replica })
    }
  }

  // MARK: Deciding about many

  private static let ids = (0..<1200).map { String(format: "%04d", $0) }

  /// The keys that a store shows.
  private func shown(_ replica: Replica) async throws -> Set<String> {
    try await Set(replica.store.sql("SELECT id FROM Token", as: String.self))
  }

  @Test("S16: rows that an update of the app could show, but a trigger forbids, keep no others from it")
  mutating func forbidden() async throws {
    try await new.store.save(Self.ids.map { Second.Token(id: $0, metal: .copper) })
    try await old.exchange(with: new)
    try old.executeOutside(
      "CREATE TRIGGER keep BEFORE INSERT ON Token WHEN new.id IN ('0007', '1007') BEGIN SELECT RAISE(ABORT, 'no'); END")
    old = try await old.reopened(Second.Chest.self, Second.Token.self)
    #expect(try await shown(old) == Set(Self.ids).subtracting(["0007", "1007"]))
    let error = await #expect(throws: StoreError.self) { try await old.store.sync.setAside() }
    #expect(error?.code == .constraint)
    try old.executeOutside("DROP TRIGGER keep")
    #expect(try await old.store.sync.setAside().isEmpty)
    #expect(try await shown(old) == Set(Self.ids))
    try await meet()
    try await expectEqual([old, new])
  }

  @Test("S16: a damaged row keeps no others from being decided about")
  mutating func damaged() async throws {
    // A program that lacks the models shows what it can't judge, and notes it.
    old = try await old.reopened(LocalWindow.self)
    try await new.store.save(
      Self.ids.enumerated().map { Second.Token(id: $1, metal: $0 % 2 == 0 ? .copper : .silver) })
    try await meet()
    #expect(try await shown(old) == Set(Self.ids))
    try old.executeOutside(
      """
      UPDATE \(SyncTables.clock) SET is_applying = 1; DELETE FROM Token WHERE id IN ('0000', '0003', '1001');
      UPDATE \(SyncTables.clock) SET is_applying = 0;
      """)
    old = try await old.reopened(First.Chest.self, First.Token.self)
    let silver = Self.ids.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    #expect(try await shown(old) == Set(silver).subtracting(["0003", "1001"]))
    #expect(try await old.store.count(First.Token.where { $0.metal == .silver }) == silver.count - 2)
    #expect(try await old.store.sync.setAside().count == Self.ids.count - silver.count - 1)
  }

  @Test("S19: a disk that is full while rows are decided about keeps those before it, and the rest comes later")
  mutating func fullDisk() async throws {
    try await new.store.save(Self.ids.map { Second.Token(id: $0, metal: .copper) })
    try await old.exchange(with: new)
    try old.executeOutside(
      """
      CREATE TABLE ballast (bytes BLOB);
      CREATE TRIGGER fill AFTER INSERT ON Token WHEN new.id = '0700' BEGIN
        INSERT INTO ballast VALUES (zeroblob(4000000));
      END
      """)
    await old.store.close()
    // Without sync in its configuration, the store decides about nothing when it is opened.
    let store = try Store(at: old.path, for: [Second.Chest.self, Second.Token.self])
    try await store.setRoom(500)
    #expect(try await store.sync.setAside().isEmpty)
    #expect(try await store.count(Second.Token.all) == 500)
    #expect(try await store.check().isHealthy)
    try await store.setRoom(nil)
    #expect(try await store.sync.setAside().isEmpty)
    #expect(try await store.count(Second.Token.all) == Self.ids.count)
    await store.close()
  }
}
