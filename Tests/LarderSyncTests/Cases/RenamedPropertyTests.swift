import Foundation
import Larder
import Testing

@testable import LarderSync

@Model("Person")
private struct FirstPerson: Hashable {
  var id: String
  var first: String
  var last: String
  var age = 0
}

@Model("Person")
private struct SwappedPerson: Hashable {
  var id: String
  @Attribute(originalName: "last") var first: String
  @Attribute(originalName: "first") var last: String
  var age = 0
}

/// `first` is the former `last`, and the former `first` is gone.
@Model("Person")
private struct ReusedPerson: Hashable {
  var id: String
  @Attribute(originalName: "last") var first: String
  var age = 0
}

/// `last` is a new property, and the former one is `family`.
@Model("Person")
private struct ParentedPerson: Hashable {
  var id: String
  var first: String
  @Attribute(originalName: "last") var family: String
  var last = "none"
  var age = 0
}

/// The former `last` under its third name, and `first` under its first one, which it has once more.
@Model("Person")
private struct TwicePerson: Hashable {
  var id: String
  @Attribute(originalName: "first") var first: String
  @Attribute(originalName: "last") var surname: String
  var age = 0
}

@Model("Person")
private struct OncePerson: Hashable {
  var id: String
  @Attribute(originalName: "first") var given: String
  @Attribute(originalName: "last") var family: String
  var age = 0
}

/// It has lost what says that `surname` is the former `last`.
@Model("Person")
private struct ForgetfulPerson: Hashable {
  var id: String
  var first: String
  var surname: String
  var age = 0
}

/// `last` is the property that was new in `ParentedPerson`.
@Model("Person")
private struct ChildlessPerson: Hashable {
  var id: String
  var first: String
  var last = "none"
  var nick = ""
  var age = 0
}

@Model("Person")
private struct NumberedPerson: Hashable {
  var id: String
  var first: String
  @Attribute(originalName: "last#2") var last = "none"
  var nick = ""
  var age = 0
}

@Model("Picture")
private struct FirstPicture: Hashable {
  var id: String
  var imageUrl: String
  var title = ""
}

@Model("Picture")
private struct CasedPicture: Hashable {
  var id: String
  @Attribute(originalName: "imageUrl") var imageURL: String
  var title = ""
}

@Model("Picture")
private struct StarredPicture: Hashable {
  var id: String
  @Attribute(originalName: "imageUrl") var imageURL: String
  var title = ""
  var stars = 0
}

@Model("Picture")
private struct ForgetfulPicture: Hashable {
  var id: String
  var imageURL: String
  var title = ""
}

@Model("Writer")
private struct FirstWriter: Hashable {
  var id: String
  @Relationship(deleteRule: .nullify, inverse: \FirstTale.author, ordered: true) var tales: ToMany<FirstTale> = []
}

@Model("Tale")
private struct FirstTale: Hashable {
  var id: String
  var author: ToOne<FirstWriter>?
}

@Model("Writer")
private struct SecondWriter: Hashable {
  var id: String
  @Relationship(deleteRule: .nullify, inverse: \SecondTale.teller, ordered: true) var tales: ToMany<SecondTale> = []
}

@Model("Tale")
private struct SecondTale: Hashable {
  var id: String
  @Attribute(originalName: "author") var teller: ToOne<SecondWriter>?
}

@Suite("Sync: properties whose names are swapped and used again")
struct RenamedPropertyTests {
  private let ada = FirstPerson(id: "ada", first: "Ada", last: "Lovelace")

  private func pair() async throws -> (Replica, Replica) {
    let (a, b) = (try Replica([FirstPerson.self]), try Replica([FirstPerson.self]))
    try await a.store.insert(ada)
    try await a.exchange(with: b)
    try await b.exchange(with: a)
    return (a, b)
  }

  @Test("S16: swapped names part no property from its history")
  func swapped() async throws {
    var (a, b) = try await pair()
    a = try await a.reopened(SwappedPerson.self)
    try await a.store.updateAll(SwappedPerson.all) { $0.age.set(36) }
    try await a.exchange(with: b)
    #expect(
      try await b.store.find(FirstPerson.self, "ada") == FirstPerson(id: "ada", first: "Ada", last: "Lovelace", age: 36)
    )
    try await b.setClock(past: a)
    try await b.store.updateAll(FirstPerson.all) { $0.last.set("King") }
    try await a.exchange(with: b)
    #expect(try await a.store.find(SwappedPerson.self, "ada")?.first == "King")
    b = try await b.reopened(SwappedPerson.self)
    // Names are swapped once.
    a = try await a.reopened(SwappedPerson.self)
    let c = try Replica([SwappedPerson.self])
    for (one, other) in [(a, b), (c, b), (c, a), (b, a)] { try await one.exchange(with: other) }
    try await expectEqual([a, b, c])
    #expect(
      try await c.store.fetch(SwappedPerson.all) == [SwappedPerson(id: "ada", first: "King", last: "Ada", age: 36)])
    #expect(try await c.store.sync.conflicts().isEmpty)
  }

  @Test("S16: a property that takes the name of another one keeps its own values, and those of the other are handed on")
  func reused() async throws {
    var (a, b) = try await pair()
    a = try await a.reopened(ReusedPerson.self)
    try await a.store.updateAll(ReusedPerson.all) {
      $0.first.set("King")
      $0.age.set(36)
    }
    try await a.exchange(with: b)
    let changed = FirstPerson(id: "ada", first: "Ada", last: "King", age: 36)
    #expect(try await b.store.find(FirstPerson.self, "ada") == changed)
    let c = try Replica([FirstPerson.self])
    try await c.exchange(with: a)
    #expect(try await c.store.find(FirstPerson.self, "ada") == changed)
    b = try await b.reopened(ReusedPerson.self)
    try await a.exchange(with: b)
    try await expectEqual([a, b])
  }

  @Test("S16: a new property with the name that another one had is another property")
  func parented() async throws {
    var (a, b) = try await pair()
    a = try await a.reopened(ParentedPerson.self)
    try await a.store.updateAll(ParentedPerson.all) { $0.last.set("new") }
    try await a.exchange(with: b)
    #expect(try await b.store.find(FirstPerson.self, "ada") == ada)
    try await b.setClock(past: a)
    try await b.store.updateAll(FirstPerson.all) { $0.last.set("King") }
    try await a.exchange(with: b)
    let person = ParentedPerson(id: "ada", first: "Ada", family: "King", last: "new")
    #expect(try await a.store.find(ParentedPerson.self, "ada") == person)
    b = try await b.reopened(ParentedPerson.self)
    let c = try Replica([ParentedPerson.self])
    for replica in [b, c] {
      try await replica.exchange(with: a)
      #expect(try await replica.store.find(ParentedPerson.self, "ada") == person)
    }
    try await expectEqual([a, b, c])
  }

  @Test("S16: a property that is renamed twice, and back, keeps its history")
  func twice() async throws {
    var (a, b) = try await pair()
    a = try await a.reopened(OncePerson.self)
    a = try await a.reopened(TwicePerson.self)
    try await a.store.updateAll(TwicePerson.all) { $0.surname.set("King") }
    try await a.exchange(with: b)
    #expect(try await b.store.find(FirstPerson.self, "ada")?.last == "King")
    b = try await b.reopened(TwicePerson.self)
    let c = try Replica([TwicePerson.self])
    for (one, other) in [(c, a), (b, a), (c, b)] { try await one.exchange(with: other) }
    try await expectEqual([a, b, c])
    #expect(try await c.store.find(TwicePerson.self, "ada") == TwicePerson(id: "ada", first: "Ada", surname: "King"))
  }

  @Test("S16: a model that no longer says what a property was called is refused, because a new file would part it")
  func forgotten() async throws {
    var (a, _) = try await pair()
    a = try await a.reopened(TwicePerson.self)
    let error = await #expect(throws: StoreError.self) { try await a.reopened(ForgetfulPerson.self) }
    #expect(error?.code == .unsupported)
    #expect(
      error?.message.contains("ForgetfulPerson.surname") == true || error?.message.contains("Person.surname") == true)
    #expect(error?.message.contains("originalName: \"last\"") == true)
    a = try await a.reopened(TwicePerson.self)
    #expect(try await a.store.find(TwicePerson.self, "ada")?.surname == "Lovelace")
  }

  @Test("S16: a numbered name that a new file wouldn't give is refused, and kept by the originalName in the error")
  func numbered() async throws {
    var (a, _) = try await pair()
    a = try await a.reopened(ParentedPerson.self)
    try await a.store.updateAll(ParentedPerson.all) { $0.last.set("new") }
    let error = await #expect(throws: StoreError.self) { try await a.reopened(ChildlessPerson.self) }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("originalName: \"last#2\"") == true, "\(error?.message ?? "")")
    a = try await a.reopened(NumberedPerson.self)
    let c = try Replica([NumberedPerson.self])
    try await c.exchange(with: a)
    for replica in [a, c] { #expect(try await replica.store.find(NumberedPerson.self, "ada")?.last == "new") }
    #expect(try await a.state() == c.state())
  }
}

@Suite("Sync: properties renamed in upper and lower case alone")
struct CasedPropertyTests {
  private func pair() async throws -> (Replica, Replica) {
    let (a, b) = (try Replica([FirstPicture.self]), try Replica([FirstPicture.self]))
    try await a.store.insert(FirstPicture(id: "p", imageUrl: "first"))
    try await a.exchange(with: b)
    return (a, b)
  }

  @Test("S16: a property that is renamed in case alone keeps its history")
  func cased() async throws {
    var (a, b) = try await pair()
    a = try await a.reopened(CasedPicture.self)
    #expect(try await a.store.find(CasedPicture.self, "p")?.imageURL == "first")
    try await a.store.updateAll(CasedPicture.all) { $0.imageURL.set("second") }
    try await a.exchange(with: b)
    #expect(try await b.store.find(FirstPicture.self, "p")?.imageUrl == "second")
    try await b.setClock(past: a)
    try await b.store.updateAll(FirstPicture.all) { $0.imageUrl.set("third") }
    try await a.exchange(with: b)
    #expect(try await a.store.find(CasedPicture.self, "p")?.imageURL == "third")
    // The column still has its first name while the model changes again.
    a = try await a.reopened(StarredPicture.self)
    b = try await b.reopened(StarredPicture.self)
    try await a.setClock(past: b)
    try await a.store.updateAll(StarredPicture.all) { $0.imageURL.set("fourth") }
    let c = try Replica([StarredPicture.self])
    for (one, other) in [(a, b), (c, b), (c, a)] { try await one.exchange(with: other) }
    try await expectEqual([a, b, c])
    #expect(try await c.store.fetch(StarredPicture.all) == [StarredPicture(id: "p", imageURL: "fourth")])
    #expect(try await c.store.sync.conflicts().isEmpty)
  }

  @Test("S16: a property that is renamed in case alone without its originalName is refused, and nothing is lost")
  func forgotten() async throws {
    var (a, b) = try await pair()
    let error = await #expect(throws: StoreError.self) { try await a.reopened(ForgetfulPicture.self) }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("originalName: \"imageUrl\"") == true, "\(error?.message ?? "")")
    a = try await a.reopened(CasedPicture.self)
    try await b.setClock(past: a)
    try await b.store.updateAll(FirstPicture.all) { $0.imageUrl.set("second") }
    try await a.exchange(with: b)
    #expect(try await a.store.find(CasedPicture.self, "p")?.imageURL == "second")
    b = try await b.reopened(CasedPicture.self)
    try await expectEqual([a, b])
  }

  @Test("a value is held if the table doesn't show its property, whatever column the property had")
  func held() async throws {
    var (a, b) = try await pair()
    a = try await a.reopened(StarredPicture.self)
    try await a.store.updateAll(StarredPicture.all) { $0.stars.set(1) }
    try await a.exchange(with: b)
    try await b.store.writingModule { connection in
      try connection.run("UPDATE \(SyncTables.properties) SET column_name = 'stars' WHERE name = 'stars'")
    }
    try await a.store.updateAll(StarredPicture.all) { $0.stars.set(2) }
    try await a.exchange(with: b)
    let c = try Replica([StarredPicture.self])
    try await c.exchange(with: b)
    #expect(try await c.store.find(StarredPicture.self, "p")?.stars == 2)
    b = try await b.reopened(StarredPicture.self)
    #expect(try await b.store.find(StarredPicture.self, "p")?.stars == 2)
  }
}

@Suite("Sync: renamed references of ordered relationships")
struct RenamedOrderingTests {
  private let former = FirstWriter(id: "w")
  private let writer = SecondWriter(id: "w")
  private let ids = ["1", "2", "3"]

  private func setFormerOrder(_ replica: Replica, _ ids: [String]) async throws {
    try await replica.store.setLinks(former, \.tales, ids.map { FirstTale(id: $0, author: ToOne(former)) })
  }

  private func setOrder(_ replica: Replica, _ ids: [String]) async throws {
    try await replica.store.setLinks(writer, \.tales, ids.map { SecondTale(id: $0, teller: ToOne(writer)) })
  }

  private func formerOrder(_ replica: Replica) async throws -> [String] {
    try await replica.store.fetch(former.tales.all).map(\.id)
  }

  private func order(_ replica: Replica) async throws -> [String] {
    try await replica.store.fetch(writer.tales.all).map(\.id)
  }

  /// Two replicas with the same order, of which the first has the newer models.
  private func pair() async throws -> (Replica, Replica) {
    let (a, b) = (try Replica([FirstWriter.self]), try Replica([FirstWriter.self]))
    try await a.store.insert(former)
    try await a.store.insert(ids.map { FirstTale(id: $0, author: ToOne(former)) })
    try await setFormerOrder(a, ["3", "1", "2"])
    try await a.exchange(with: b)
    return (try await a.reopened(SecondWriter.self), b)
  }

  @Test("S11, S16: the order of rows goes with a reference that is renamed, for older apps too")
  func renamed() async throws {
    var (a, b) = try await pair()
    #expect(try await order(a) == ["3", "1", "2"])
    try await a.exchange(with: b)
    #expect(try await formerOrder(b) == ["3", "1", "2"])
    try await setOrder(a, ["2", "3", "1"])
    try await a.exchange(with: b)
    #expect(try await formerOrder(b) == ["2", "3", "1"])
    try await b.setClock(past: a)
    try await setFormerOrder(b, ids)
    try await a.exchange(with: b)
    #expect(try await order(a) == ids)
    a = try await a.reopened(SecondWriter.self)
    b = try await b.reopened(SecondWriter.self)
    let c = try Replica([SecondWriter.self])
    for (one, other) in [(a, b), (c, b), (c, a)] { try await one.exchange(with: other) }
    try await expectEqual([a, b, c])
    #expect(try await order(c) == ids)
    #expect(try await c.store.sync.conflicts().isEmpty)
  }

  /// Makes another property of the order, as an earlier version of the package did when the reference was renamed.
  ///
  /// - Parameter time: The SQL of the time at which each position was written since; nil if none was.
  private func part(_ replica: Replica, writtenAt time: String? = nil) async throws {
    let (properties, cells) = (SyncTables.properties, SyncTables.cells)
    let former = "name = '_author_position'"
    try await replica.store.writingModule { connection in
      try connection.transaction {
        try connection.run("UPDATE main.Tale SET _teller_position = id")
        try connection.run(
          """
          INSERT INTO \(cells) (row, property, length, time, replica, held, value)
            SELECT known.id, property.id, known.length, known.time, known.replica, 1, tale.id % 3 + 1 FROM main.Tale AS tale
            JOIN \(SyncTables.rows) AS known ON known.key1 = tale.id JOIN \(properties) AS property ON property.\(former) WHERE true
            ON CONFLICT (row, property) DO UPDATE SET held = 1, value = excluded.value
          """)
        try connection.run("UPDATE \(properties) SET column_name = NULL WHERE \(former)")
        try connection.run(
          """
          INSERT INTO \(properties) (table_id, name, column_name)
            SELECT table_id, '_teller_position', '_teller_position' FROM \(properties) WHERE \(former)
          """)
        try connection.run(
          """
          UPDATE \(SyncTables.tables) SET description = CAST(replace(CAST(description AS TEXT),
            '"originalName":"_author_position",', '') AS BLOB) WHERE name = 'Tale'
          """)
        guard let time else { return }
        try connection.run(
          """
          INSERT INTO \(cells) (row, property, length, time, replica)
            SELECT known.id, property.id, known.length, \(time), clock.replica FROM main.Tale AS tale
            JOIN \(SyncTables.rows) AS known ON known.key1 = tale.id
            JOIN \(properties) AS property ON property.name = '_teller_position', \(SyncTables.clock) AS clock
          """)
        try connection.run("UPDATE \(SyncTables.clock) SET now = now + 10")
      }
    }
    #expect(try await order(replica) == ids)
  }

  @Test("S11, S16: the order that an earlier version of the package took for another property is brought back")
  func parted() async throws {
    // Once nobody has written it, and once the earlier version has, for all rows at one time.
    for time in [nil, "clock.now + 1"] {
      var (a, b) = try await pair()
      try await part(a, writtenAt: time)
      a = try await a.reopened(SecondWriter.self)
      #expect(try await order(a) == ["3", "1", "2"])
      try await a.exchange(with: b)
      #expect(try await formerOrder(b) == ["3", "1", "2"])
      b = try await b.reopened(SecondWriter.self)
      try await a.exchange(with: b)
      try await expectEqual([a, b])
    }
  }

  @Test("S11, S16: an order that was changed since an earlier version took it for another property stays")
  func partedAndChanged() async throws {
    var (a, b) = try await pair()
    try await part(a, writtenAt: "clock.now + row_number() OVER ()")
    a = try await a.reopened(SecondWriter.self)
    #expect(try await order(a) == ids)
    try await a.exchange(with: b)
    #expect(try await formerOrder(b) == ids)
    b = try await b.reopened(SecondWriter.self)
    try await a.exchange(with: b)
    try await expectEqual([a, b])
  }
}
