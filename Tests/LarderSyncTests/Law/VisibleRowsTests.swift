import Foundation
import Larder
import LarderRandom
import LarderTestSupport
import Testing

@testable import LarderSync

@Model
private struct Owner: Hashable {
  var id: String
  @Attribute(.unique) var name: String
  @Relationship(deleteRule: .cascade) var parent: ToOne<Owner>?
}

/// What at most one row has of an owner, in three ways.
@Model
private struct Share: Hashable {
  var id: String
  @Attribute(.unique) var owner: ToOne<Owner>?
  @Relationship(deleteRule: .cascade) @Attribute(.unique) var holder: ToOne<Owner>
}

@Model
private struct Sheet: Hashable {
  var id: String
  var title: String = ""
  @Relationship(deleteRule: .cascade) var owner: ToOne<Owner>
  @Relationship(deleteRule: .deny) var kind: ToOne<Kind>?

  static var indexes: [Index<Self>] { [Index(\.owner, \.title, unique: true)] }
}

@Model
private struct Kind: Hashable {
  var id: String
  @Attribute(.unique) var code: String?
  @Relationship(deleteRule: .deny) var group: ToOne<Group>
}

@Model
private struct Group: Hashable {
  var id: String
  var title: String
  @Attribute(.unique) var code: String?
  var kind: ToOne<Kind>?
  @Relationship(deleteRule: .cascade) var owner: ToOne<Owner>

  static var indexes: [Index<Self>] { [Index(\.title, \.kind, unique: true)] }
}

@Model
private struct Place: Hashable {
  @Attribute(.primaryKey) var shelf: String
  @Attribute(.primaryKey) var number: String
  @Relationship(deleteRule: .cascade) var sheet: ToOne<Sheet>?

  static var indexes: [Index<Self>] { [Index(\.number, unique: true)] }
}

/// What must have a kind, and keeps it, but goes with its owner.
@Model
private struct Ticket: Hashable {
  var id: String
  @Attribute(.unique) var code: String?
  @Relationship(deleteRule: .deny) var kind: ToOne<Kind>
  @Relationship(deleteRule: .cascade) var owner: ToOne<Owner>?
}

@Suite("Sync: which rows are visible, computed step by step and from scratch")
struct VisibleRowsTests {
  private static let models: [any Model.Type] = [
    Owner.self, Share.self, Sheet.self, Kind.self, Group.self, Place.self, Ticket.self,
  ]

  /// Makes states that no program would make together, although each of them can come from one.
  private struct States {
    var random: SplitMix64
    private let replicas: [ReplicaID]
    private var time: UInt64 = 0

    init(seed: UInt64) {
      random = SplitMix64(seed: seed)
      var random = random
      replicas = (0..<3).map { _ in ReplicaID(using: &random) }
    }

    private mutating func stamp() throws -> Stamp {
      time += UInt64.random(in: 1...3, using: &random)
      let replica = try #require(replicas.randomElement(using: &random))
      return try #require(Stamp(milliseconds: time, counter: 0, replica: replica))
    }

    private mutating func key(_ count: Int) -> ReplicatedValue { .init("\(Int.random(in: 0..<count, using: &random))") }

    private mutating func reference(_ isOptional: Bool = true) -> ReplicatedValue {
      isOptional && Int.random(in: 0..<3, using: &random) == 0 ? .null : key(4)
    }

    private mutating func text() -> ReplicatedValue { .init(["x", "y", "z"].randomElement(using: &random) ?? "") }

    mutating func row() throws -> RowState {
      let insertion = try stamp()
      let table = ["Owner", "Share", "Sheet", "Kind", "Group", "Place", "Ticket"].randomElement(using: &random) ?? ""
      let values: [(String, ReplicatedValue)] =
        switch table {
        case "Owner": [("name", text()), ("parent", reference())]
        case "Share": [("holder", reference(false)), ("owner", reference())]
        case "Sheet": [("kind", reference()), ("owner", reference(false)), ("title", text())]
        case "Kind": [("code", Bool.random(using: &random) ? text() : .null), ("group", reference(false))]
        case "Group":
          [
            ("code", Bool.random(using: &random) ? text() : .null), ("kind", reference()), ("owner", reference(false)),
            ("title", text()),
          ]
        case "Ticket":
          [
            ("code", Bool.random(using: &random) ? text() : .null), ("kind", reference(false)), ("owner", reference()),
          ]
        default: [("sheet", reference())]
        }
      let length = Int64.random(in: 1...2, using: &random)
      let isLacking = Int.random(in: 0..<8, using: &random) == 0
      var properties: [PropertyState] = []
      for (name, value) in values where !(isLacking && name == "title") {
        properties.append(
          PropertyState(
            name: name, value: value, stamp: Bool.random(using: &random) ? insertion : try stamp(), causalLength: 1))
      }
      let key = table == "Place" ? [text(), key(3)] : [key(4)]
      return RowState(
        table: table, key: key, causalLength: length, stamp: length == 1 ? insertion : try stamp(),
        insertion: insertion, properties: properties)
    }

    mutating func batch() throws -> ChangeBatch {
      let sender = try #require(replicas.first)
      let rows = try (0..<Int.random(in: 1...6, using: &random)).map { _ in try row() }
      return ChangeBatch(
        since: ChangeCursor(replica: sender, position: 0), upTo: ChangeCursor(replica: sender, position: 1),
        recipient: nil, isLast: false, modelsDigest: Data(), rows: rows, knowledge: [])
    }
  }

  @Test("after each batch, whatever comes", arguments: 0..<24 as Range<UInt64>)
  func anything(seed: UInt64) async throws {
    var states = States(seed: seed)
    let replica = try Replica(Self.models)
    var received: [RowState] = []
    for step in 0..<24 {
      let batch = try states.batch()
      received += batch.rows
      try await replica.store.sync.apply(batch)
      let (expected, shown) = (try await replica.expectedRows(), try await replica.shownRows())
      #expect(shown == expected, "seed \(seed), step \(step)")
      if shown != expected { return }
    }
    #expect(try await replica.store.check().isHealthy, "seed \(seed)")
    // The same states, one by one in another order.
    let other = try Replica(Self.models)
    let sender = try await replica.store.sync.replica()
    for state in received.shuffled(using: &states.random) {
      let batch = ChangeBatch(
        since: ChangeCursor(replica: sender, position: 0), upTo: ChangeCursor(replica: sender, position: 1),
        recipient: nil, isLast: false, modelsDigest: Data(), rows: [state], knowledge: [])
      try await other.store.sync.apply(batch)
    }
    #expect(try await other.rows() == replica.rows(), "seed \(seed)")
  }

  private let a: Replica
  private let b: Replica

  init() throws {
    a = try Replica(Self.models)
    b = try Replica(Self.models)
  }

  @Test("a row that moves to another owner, and has a place of its own there, stays when the former owner is deleted")
  func moved() async throws {
    let (first, second) = (Owner(id: "1", name: "1"), Owner(id: "2", name: "2"))
    try await a.store.insert([first, second])
    try await a.store.insert(Sheet(id: "s", title: "x", owner: ToOne(first)))
    try await a.store.insert(Share(id: "h", holder: ToOne(first)))
    try await a.store.insert(Place(shelf: "x", number: "p", sheet: ToOne("s")))
    try await b.exchange(with: a)
    try await a.store.updateAll(Sheet.all) { $0.owner.set(second) }
    try await a.store.updateAll(Share.all) { $0.holder.set(second) }
    try await a.store.delete(first)
    try await b.exchange(with: a)
    try await expectEqual([a, b])
    #expect(try await b.store.fetch(Sheet.all).map(\.owner.id) == ["2"])
    #expect(try await b.store.fetch(Share.all).map(\.holder.id) == ["2"])
    #expect(try await b.store.count(Place.all) == 1)
  }

  @Test("S8: a row that was deleted stays so if what refers to it is gone as well, and returns with it")
  func goneTogether() async throws {
    let owner = Owner(id: "1", name: "1")
    let groupOwner = Owner(id: "0", name: "0")
    try await a.store.insert([groupOwner, owner])
    try await a.store.insert(Group(id: "g", title: "g", owner: ToOne(groupOwner)))
    try await a.store.insert(Kind(id: "k", group: ToOne("g")))
    try await a.store.insert(Sheet(id: "s", owner: ToOne(owner), kind: ToOne("k")))
    try await b.exchange(with: a)
    try await a.store.delete(owner)
    try await a.store.deleteAll(Kind.all)
    try await a.store.deleteAll(Group.all)
    for _ in 0..<2 { try await b.exchange(with: a) }
    try await expectEqual([a, b])
    #expect(try await a.store.count(Kind.all) == 0)
    #expect(try await b.store.count(Group.all) == 0)
    // Nobody is kept from using what they had.
    try await b.store.insert(Group(id: "other", title: "g", owner: ToOne(groupOwner)))
    try await b.store.insert(owner)
    for _ in 0..<2 { try await b.exchange(with: a) }
    try await expectEqual([a, b])
    #expect(try await a.store.fetch(Sheet.all).map(\.kind?.id) == ["k"])
    #expect(try await a.store.count(Kind.all) == 1)
  }

  @Test("S8: what was deleted and is wanted returns with the last thing that it lacks, on all replicas")
  func wanted() async throws {
    let owner = Owner(id: "1", name: "1")
    try await a.store.insert(owner)
    try await a.store.insert(Group(id: "g", title: "g", owner: ToOne(owner)))
    try await a.store.insert(Kind(id: "k", group: ToOne("g")))
    try await b.exchange(with: a)
    try await a.store.deleteAll(Kind.all)
    try await a.store.delete(owner)
    try await b.store.insert(Ticket(id: "t", kind: ToOne("k")))
    for _ in 0..<2 { try await b.exchange(with: a) }
    try await expectEqual([a, b])
    #expect(try await b.store.count(Ticket.all) == 0)
    try await a.store.insert(owner)
    for _ in 0..<2 { try await b.exchange(with: a) }
    try await expectEqual([a, b])
    #expect(try await b.store.fetch(Ticket.all).map(\.kind.id) == ["k"])
  }

  /// A kind with what it needs, on both sides.
  private func insertKind() async throws -> Owner {
    let owner = Owner(id: "1", name: "1")
    try await a.store.insert([Owner(id: "0", name: "0"), owner])
    try await a.store.insert(Group(id: "g", title: "g", owner: ToOne("0")))
    try await a.store.insert(Kind(id: "k", group: ToOne("g")))
    try await b.exchange(with: a)
    return owner
  }

  @Test("S5, S8: a row that lacks its owner stays listed when a kind is deleted that it would keep")
  func listed() async throws {
    let owner = try await insertKind()
    try await a.store.delete(owner)
    try await b.store.insert(Ticket(id: "t", kind: ToOne("k"), owner: ToOne(owner)))
    for _ in 0..<2 { try await b.exchange(with: a) }
    try await b.store.deleteAll(Kind.all)
    for _ in 0..<2 { try await b.exchange(with: a) }
    try await expectEqual([a, b])
    for replica in [a, b] {
      let reasons = try await replica.store.sync.setAside().map(\.reason)
      #expect(reasons == [.deleted(property: "owner", table: "Owner", key: ["1"])])
    }
    try await a.store.sync.restore(try #require(try await a.store.sync.setAside().first))
    for _ in 0..<2 { try await b.exchange(with: a) }
    try await expectEqual([a, b])
    #expect(try await b.store.fetch(Ticket.all).map(\.kind.id) == ["k"])
  }

  @Test("S5, S8: a row that went with its owner is kept as long as that, and so is the kind that it keeps")
  func keptWithKind() async throws {
    let owner = try await insertKind()
    try await a.store.deleteAll(Kind.all)
    try await b.store.insert(Ticket(id: "t", kind: ToOne("k"), owner: ToOne(owner)))
    for _ in 0..<2 { try await b.exchange(with: a) }
    #expect(try await a.store.count(Kind.all) == 1)
    try await a.store.delete(owner)
    for _ in 0..<2 { try await b.exchange(with: a) }
    #expect(try await b.store.count(Kind.all) == 0)
    try await a.store.sync.setRetention(.seconds(60))
    // The owner was deleted 400 seconds later.
    try await a.store.writingModule { connection in
      try connection.execute(
        "UPDATE \(SyncTables.rows) SET deletion_time = deletion_time + (400000 << 16) WHERE key1 = '1'")
    }
    #expect(try await a.store.sync.forgetDeletions(at: Date(timeIntervalSinceNow: 120)) == 0)
    try await a.store.insert(owner)
    for _ in 0..<2 { try await b.exchange(with: a) }
    for replica in [a, b] { #expect(try await replica.store.fetch(Ticket.all).map(\.kind.id) == ["k"]) }
    // Deleted, forgotten and wanted: whoever has forgotten the kind gets it once more.
    try await a.store.delete(owner)
    for _ in 0..<2 { try await b.exchange(with: a) }
    _ = try await a.store.sync.forgetDeletions(at: Date(timeIntervalSinceNow: 7200))
    _ = try await a.store.sync.forgetDeletions(at: Date(timeIntervalSinceNow: 7200))
    #expect(try await a.store.count(Owner.all) == 1)
    try await b.store.insert(owner)
    for _ in 0..<3 { try await b.exchange(with: a) }
    #expect(try await a.rows() == b.rows())
  }

  @Test("S9: a duplicate is listed as one, also if it would keep a deleted row")
  func duplicateWithKind() async throws {
    _ = try await insertKind()
    try await a.store.insert(Kind(id: "other", group: ToOne("g")))
    try await a.store.insert(Ticket(id: "first", code: "c", kind: ToOne("other")))
    try await b.setClock(past: a)
    try await b.store.insert(Ticket(id: "second", code: "c", kind: ToOne("k")))
    try await a.store.deleteAll(Kind.where { $0.id == "k" })
    for _ in 0..<2 { try await b.exchange(with: a) }
    try await expectEqual([a, b])
    let row = try #require(try await a.store.sync.setAside().first)
    #expect(row.reason == .duplicate(properties: ["code"], key: ["first"]))
    try await a.store.sync.merge(row)
    #expect(try await a.store.sync.setAside().isEmpty)
  }

  @Test("S5: what went with a deleted row returns with it, whatever else it refers to was deleted and forgotten before")
  func goneBefore() async throws {
    let (owner, holder) = (Owner(id: "1", name: "1"), Owner(id: "2", name: "2"))
    try await a.store.insert([owner, holder])
    try await a.store.insert(Share(id: "s", owner: ToOne(owner), holder: ToOne(holder)))
    try await a.store.delete(owner)
    try await a.store.delete(holder)
    try await a.store.sync.setRetention(.seconds(60))
    // The holder was deleted 400 seconds later.
    try await a.store.writingModule { connection in
      try connection.execute(
        "UPDATE \(SyncTables.rows) SET deletion_time = deletion_time + (400000 << 16) WHERE key1 = '2'")
    }
    #expect(try await a.store.sync.forgetDeletions(at: Date(timeIntervalSinceNow: 120)) == 1)
    try await a.store.insert(holder)
    try await a.store.sync.settleChanges()
    #expect(try await a.store.fetch(Share.all) == [Share(id: "s", owner: nil, holder: ToOne(holder))])
  }
}
