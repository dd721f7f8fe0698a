import Foundation
import Larder
import Testing

@testable import LarderSync

@Model
private struct Reader: Hashable {
  var id: String
  @Attribute(.unique) var email: String
}

/// A row whose key is a reference, and to which others refer.
@Model
private struct Profile: Hashable {
  @Attribute(.primaryKey) var reader: ToOne<Reader>
  var text: String
  var inviter: ToOne<Reader>?
}

@Model
private struct Post: Hashable {
  var id: String
  @Relationship(deleteRule: .cascade) var profile: ToOne<Profile>
  @Relationship(deleteRule: .cascade) var reader: ToOne<Reader>
}

/// Another one, two steps from the reader.
@Model
private struct Badge: Hashable {
  @Relationship(deleteRule: .cascade) @Attribute(.primaryKey) var profile: ToOne<Profile>
  var color: String
}

/// A tree whose children go with their parent.
@Model
private struct Branch: Hashable {
  var id: String
  var name: String
  @Relationship(deleteRule: .cascade) var parent: ToOne<Branch>?
}

@Model
private struct Shelf: Hashable {
  var id: String
  @Attribute(.unique) var name: String
}

@Model
private struct Kind: Hashable {
  var id: String
  @Relationship(deleteRule: .cascade) var shelf: ToOne<Shelf>
}

@Model
private struct Rack: Hashable {
  var id: String
  @Relationship(deleteRule: .deny) var shelf: ToOne<Shelf>
}

@Model
private struct Item: Hashable {
  var id: String
  @Relationship(deleteRule: .deny) var kind: ToOne<Kind>
}

@Suite("Sync: duplicates are merged", .overEachTransport)
struct SyncDuplicateTests {
  private let a: Replica
  private let b: Replica
  private let account = SharedAccount(name: "Cash")

  init() throws {
    a = try Replica()
    b = try Replica()
  }

  private func meet(_ others: Replica...) async throws {
    for _ in 0..<2 {
      for replica in [a, b] + others {
        for other in [a, b] + others where other.path != replica.path { try await replica.exchange(with: other) }
      }
    }
    try await expectEqual([a, b] + others)
  }

  @Test("S9: what refers to the duplicate refers to the other row afterwards, on all replicas")
  func pairs() async throws {
    let c = try Replica()
    let (first, second) = (SharedTag(name: "x"), SharedTag(name: "x"))
    let (one, two) = (SharedCost(amount: 1, account: ToOne(account)), SharedCost(amount: 2, account: ToOne(account)))
    try await a.store.insert(account)
    try await a.store.insert([one, two])
    try await meet(c)
    try await a.store.insert(first)
    try await a.store.link(one, \.tags, first)
    try await b.setClock(past: a)
    try await b.store.insert(second)
    try await b.store.link(one, \.tags, second)
    try await b.store.link(two, \.tags, second)
    try await meet(c)
    #expect(try await c.store.fetch(SharedTag.all).map(\.id) == [first.id])
    let duplicate = try #require(
      try await c.store.sync.setAside().first { if case .duplicate = $0.reason { true } else { false } })
    try await c.store.sync.merge(duplicate)
    try await meet(c)
    for replica in [a, b, c] {
      #expect(try await replica.store.sync.setAside().isEmpty)
      #expect(try await replica.store.fetch(SharedTag.all).map(\.id) == [first.id])
      let tagged = try await replica.store.fetch(SharedTag.all.including(\.costs))
      #expect(Set(tagged.first?.costs.loaded?.map(\.id) ?? []) == [one.id, two.id])
    }
    await #expect(throws: StoreError.self) { try await c.store.sync.merge(duplicate) }
  }

  @Test("S9: what went with a deleted row isn't missed, and is listed if it returns", arguments: [false, true])
  func goneReferrers(returns: Bool) async throws {
    let (first, second) = (SharedTag(name: "x"), SharedTag(name: "x"))
    let (one, two) = (SharedCost(amount: 1, account: ToOne(account)), SharedCost(amount: 2, account: ToOne(account)))
    try await a.store.insert(account)
    try await a.store.insert([one, two])
    try await meet()
    try await a.store.insert(first)
    try await b.setClock(past: a)
    try await b.store.insert(second)
    for cost in [one, two] { try await b.store.link(cost, \.tags, second) }
    try await b.store.delete(one)
    try await meet()
    let listed = try await a.store.sync.setAside()
    let duplicate = try #require(listed.first { if case .duplicate = $0.reason { true } else { false } })
    try await a.store.sync.merge(duplicate)
    try await meet()
    if returns {
      try await b.store.insert(one)
      try await meet()
    }
    for replica in [a, b] {
      #expect(try await replica.store.sync.setAside().count == (returns ? 1 : 0))
      let tagged = try await replica.store.fetch(SharedTag.all.including(\.costs))
      #expect(tagged.map { $0.costs.loaded?.map(\.id) } == [[two.id]])
    }
    if returns { return }
    try await a.forgetAll()
    #expect(try await a.state()[RowKey(table: "SharedCost", key: [ReplicatedValue(one.id.storedValue())])] == nil)
  }

  @Test("S9: the children of a row that is set aside are those of the row that it is merged into")
  func childrenOfMissed() async throws {
    let models: [any Model.Type] = [Branch.self]
    let (c, d) = (try Replica(models), try Replica(models))
    let (root, other) = (Branch(id: "root", name: "root"), Branch(id: "other", name: "other"))
    let branch = Branch(id: "branch", name: "branch", parent: ToOne(root))
    try await c.store.insert([root, other])
    try await c.store.insert(branch)
    try await c.store.insert(Branch(id: "leaf", name: "leaf", parent: ToOne(branch)))
    try await c.exchange(with: d)
    try await c.store.delete(root)
    try await d.store.updateAll(Branch.where { $0.id == "branch" }) { $0.name.set("edited") }
    for _ in 0..<2 {
      try await c.exchange(with: d)
      try await d.exchange(with: c)
    }
    let missed = try #require(try await c.store.sync.setAside().first)
    #expect(missed.key == [.text("branch")])
    try await c.store.sync.merge(missed, into: [.text("other")])
    for _ in 0..<2 {
      try await c.exchange(with: d)
      try await d.exchange(with: c)
    }
    try await expectEqual([c, d])
    #expect(try await d.store.fetch(Branch.all.sorted(by: \.id)).map(\.id) == ["leaf", "other"])
    #expect(try await d.store.find(Branch.self, "leaf")?.parent?.id == "other")
  }

  @Test("S8, S9: a row that was deleted and is wanted refers to the other row, so that who wants it returns")
  func wantedReferrer() async throws {
    let models: [any Model.Type] = [Shelf.self, Kind.self, Item.self]
    let (c, d) = (try Replica(models), try Replica(models))
    let shelves = ["1", "2"].map { Shelf(id: $0, name: $0) }
    let kind = Kind(id: "k", shelf: ToOne(shelves[1]))
    try await c.store.insert(shelves)
    try await c.store.insert(kind)
    try await c.exchange(with: d)
    try await c.store.updateAll(Shelf.where { $0.id == "1" }) { $0.name.set("N") }
    try await c.store.delete(kind)
    try await d.store.updateAll(Shelf.where { $0.id == "2" }) { $0.name.set("N") }
    try await d.store.insert(Item(id: "i", kind: ToOne(kind)))
    for _ in 0..<2 {
      try await c.exchange(with: d)
      try await d.exchange(with: c)
    }
    let listed = try await c.store.sync.setAside()
    try await c.store.sync.merge(try #require(listed.first { $0.table == "Shelf" }))
    for _ in 0..<2 {
      try await c.exchange(with: d)
      try await d.exchange(with: c)
    }
    try await expectEqual([c, d])
    #expect(try await d.store.sync.setAside().isEmpty)
    #expect(try await d.store.find(Item.self, "i") != nil)
    #expect(try await d.store.find(Kind.self, "k")?.shelf.id == "1")
  }

  @Test("S9, S16: what refers to a row that an app without its models has merged is listed by apps that have them")
  func unknownReferrers() async throws {
    let (newer, older) = (try Replica([Shelf.self, Kind.self]), try Replica([Shelf.self]))
    try await older.store.insert(Shelf(id: "1", name: "N"))
    try await newer.setClock(past: older)
    let shelf = Shelf(id: "2", name: "N")
    try await newer.store.insert(shelf)
    try await newer.store.insert(Kind(id: "k", shelf: ToOne(shelf)))
    for _ in 0..<2 { try await newer.exchange(with: older) }
    try await older.store.sync.merge(try #require(try await older.store.sync.setAside().first))
    for _ in 0..<2 { try await newer.exchange(with: older) }
    let missed = try #require(try await newer.store.sync.setAside().first)
    #expect(missed.key == [.text("k")])
    #expect(missed.reason == .deleted(property: "shelf", table: "Shelf", key: [.text("2")]))
    #expect(missed.properties == ["shelf": .text("2")])
    // Somebody brings the shelf back, under another name, and the row with it.
    try await newer.store.sync.restore(missed)
    try await newer.store.updateAll(Shelf.where { $0.id == "1" }) { $0.name.set("M") }
    for _ in 0..<2 { try await newer.exchange(with: older) }
    #expect(try await newer.store.find(Kind.self, "k") != nil)
    #expect(try await older.store.count(Shelf.all) == 2)
    // Its deletion by somebody who knows the row takes the row along.
    try await newer.store.deleteAll(Kind.all)
    try await newer.store.deleteAll(Shelf.where { $0.id == "2" })
    for _ in 0..<2 { try await newer.exchange(with: older) }
    #expect(try await newer.store.sync.setAside().isEmpty)
    #expect(try await newer.store.history(after: nil).changes.allSatisfy { $0.properties.count < 2 })
  }

  @Test("S9, S16: so is what refers to a row whose key is a reference to the merged one")
  func unknownReferrersOfKeys() async throws {
    let older = try Replica([Reader.self, Profile.self])
    let newer = try Replica([Reader.self, Profile.self, Post.self, Badge.self])
    for (number, replica) in [older, newer].enumerated() {
      if number == 1 { try await newer.setClock(past: older) }
      let reader = Reader(id: "\(number)", email: "ada@example.com")
      try await replica.store.insert(reader)
      try await replica.store.insert(Profile(reader: ToOne(reader), text: "\(number)"))
    }
    let reader = Reader(id: "1", email: "")
    let profile = Profile(reader: ToOne(reader), text: "")
    try await newer.store.insert(Post(id: "p", profile: ToOne(profile), reader: ToOne(reader)))
    try await newer.store.insert(Badge(profile: ToOne(profile), color: "red"))
    for _ in 0..<2 { try await newer.exchange(with: older) }
    let listed = try await older.store.sync.setAside()
    try await older.store.sync.merge(try #require(listed.first { $0.table == "Reader" }))
    for _ in 0..<2 { try await newer.exchange(with: older) }
    #expect(Set(try await newer.store.sync.setAside().map(\.table)) == ["Post", "Badge"])
    #expect(try await newer.store.fetch(Profile.all).map(\.reader.id) == ["0"])
  }

  @Test("S8, S9: a row into which another one is merged stays, also if only a row that denied its deletion kept it")
  func wantedWinner() async throws {
    let models: [any Model.Type] = [Shelf.self, Kind.self, Item.self, Rack.self]
    let (c, d) = (try Replica(models), try Replica(models))
    let first = Shelf(id: "1", name: "Food")
    try await c.store.insert(first)
    try await c.exchange(with: d)
    try await c.store.delete(first)
    let second = Shelf(id: "2", name: "Food")
    try await c.store.insert(second)
    try await c.store.insert(Kind(id: "k", shelf: ToOne(second)))
    try await d.store.insert(Rack(id: "r", shelf: ToOne(first)))
    for _ in 0..<2 {
      try await c.exchange(with: d)
      try await d.exchange(with: c)
    }
    #expect(try await c.store.fetch(Shelf.all).map(\.id) == ["1"])
    let listed = try await c.store.sync.setAside()
    try await c.store.sync.merge(try #require(listed.first { $0.table == "Shelf" }))
    try await c.store.deleteAll(Rack.all)
    for _ in 0..<2 {
      try await c.exchange(with: d)
      try await d.exchange(with: c)
    }
    try await expectEqual([c, d])
    #expect(try await d.store.fetch(Shelf.all) == [first])
    #expect(try await d.store.find(Kind.self, "k")?.shelf.id == "1")
  }

  @Test("S9: so do rows that refer to one whose key is the reference, however far away")
  func referrersOfKeys() async throws {
    let models: [any Model.Type] = [Reader.self, Profile.self, Post.self, Badge.self]
    let (c, d) = (try Replica(models), try Replica(models))
    for (number, replica) in [c, d].enumerated() {
      if number == 1 { try await d.setClock(past: c) }
      let reader = Reader(id: "reader \(number)", email: "ada@example.com")
      let profile = Profile(reader: ToOne(reader), text: "text \(number)")
      try await replica.store.insert(reader)
      try await replica.store.insert(profile)
      try await replica.store.insert(Badge(profile: ToOne(profile), color: "color \(number)"))
      try await replica.store.insert(
        (0..<2).map { Post(id: "\(number) \($0)", profile: ToOne(profile), reader: ToOne(reader)) })
    }
    // Its key is another one, and stays.
    let guest = Reader(id: "guest", email: "bea@example.com")
    try await d.store.insert(guest)
    try await d.store.insert(
      Profile(reader: ToOne(guest), text: "guest", inviter: ToOne(Reader(id: "reader 1", email: ""))))
    for _ in 0..<2 {
      try await c.exchange(with: d)
      try await d.exchange(with: c)
    }
    try await expectEqual([c, d])
    #expect(try await c.store.sync.setAside().count == 5)
    let listed = try await c.store.sync.setAside()
    try await c.store.sync.merge(try #require(listed.first { $0.table == "Reader" }))
    for _ in 0..<2 {
      try await c.exchange(with: d)
      try await d.exchange(with: c)
    }
    try await expectEqual([c, d])
    for replica in [c, d] {
      #expect(try await replica.store.sync.setAside().isEmpty)
      let posts = try await replica.store.fetch(Post.all.sorted(by: \.id))
      #expect(posts.map(\.id) == ["0 0", "0 1", "1 0", "1 1"])
      #expect(Set(posts.map(\.profile.id)).count == 1)
      #expect(Set(posts.map(\.reader.id)) == ["reader 0"])
      let profiles = try await replica.store.fetch(Profile.all.sorted(by: \.text))
      #expect(profiles.map(\.reader.id) == ["guest", "reader 0"] && profiles[0].inviter?.id == "reader 0")
      #expect(try await replica.store.count(Badge.all) == 1)
      #expect(
        Set(try await replica.store.sync.conflicts().map(\.lost)) == [
          .text("text 1"), .text("color 1"),
        ])
    }
  }

  @Test("S9: the values that the other row lacks are listed, and one call takes each over")
  func values() async throws {
    let (one, other) = (SharedAccount(name: "One"), SharedAccount(name: "Other"))
    try await a.store.insert([one, other])
    try await meet()
    func slot(_ account: SharedAccount, _ row: String) -> SharedSlot {
      SharedSlot(shelf: row, account: ToOne(account), number: 1, row: row, column: 1)
    }
    try await a.store.insert(slot(one, "a"))
    try await b.setClock(past: a)
    try await b.store.insert(slot(one, "b"))
    try await meet()
    try await b.store.sync.merge(try #require(try await b.store.sync.setAside().first))
    try await meet()
    let conflict = try #require(try await a.store.sync.conflicts().first)
    #expect(try await a.store.sync.conflicts().count == 1)
    #expect(conflict.kind == .value(property: "shelf"))
    #expect(conflict.lost == "b")
    try await a.store.sync.restore(conflict)
    try await meet()
    #expect(try await b.store.fetch(SharedSlot.all).map(\.shelf) == ["b"])
    #expect(try await b.store.sync.conflicts().isEmpty)
  }

  @Test("S9: a duplicate of a row that is itself the duplicate of another one is listed")
  func chain() async throws {
    let c = try Replica()
    try await a.store.insert(account)
    try await meet(c)
    func slot(_ account: SharedAccount?, _ number: Int, _ row: String) -> SharedSlot {
      SharedSlot(shelf: "s", account: account.map { ToOne($0) }, number: number, row: row, column: 1)
    }
    try await a.store.insert(slot(account, 1, "first"))
    try await b.setClock(past: a)
    try await b.store.insert(slot(account, 2, "second"))
    try await c.setClock(past: b)
    try await c.store.insert(slot(nil, 2, "third"))
    try await meet(c)
    for replica in [a, b, c] {
      #expect(try await replica.store.fetch(SharedSlot.all).map(\.row) == ["first"])
      let listed = try await replica.store.sync.setAside()
      #expect(Set(listed.map(\.reason)).count == 2 && listed.count == 2)
    }
    // The first of two that have no other obstacle is in as soon as anything changes.
    try await a.store.updateAll(SharedSlot.all) { $0.account.set(nil) }
    try await meet(c)
    #expect(Set(try await c.store.fetch(SharedSlot.all).map(\.row)) == ["first", "second"])
  }

  @Test("S9: a row that waits can be merged into any row of its table that is named")
  func named() async throws {
    let owners = (SharedAccount(name: "One"), SharedAccount(name: "Other"))
    try await a.store.insert([owners.0, owners.1])
    try await meet()
    // A row that waits for its account is set aside too, and can be merged into any row of its table.
    let cost = SharedCost(amount: 1, account: ToOne(owners.0))
    try await a.store.deleteAll(SharedAccount.where { $0.id == owners.0.id })
    try await b.store.insert(cost)
    let kept = SharedCost(amount: 2, account: ToOne(owners.1))
    try await b.store.insert(kept)
    try await meet()
    let row = try #require(try await a.store.sync.setAside().first)
    await #expect(throws: StoreError.self) { try await a.store.sync.merge(row) }
    await #expect(throws: StoreError.self) { try await a.store.sync.merge(row, into: row.key) }
    let key = Value.blob(withUnsafeBytes(of: kept.id.uuid) { Data($0) })
    try await a.store.sync.merge(row, into: [key])
    try await meet()
    #expect(try await b.store.fetch(SharedCost.all).map(\.id) == [kept.id])
    #expect(
      Set(try await b.store.sync.conflicts().map(\.kind)) == [.value(property: "account"), .value(property: "amount")])
  }
}
