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

@Suite("Sync: properties whose names are swapped and used again")
struct RenamedPropertyTests {
  private let ada = FirstPerson(id: "ada", first: "Ada", last: "Lovelace")

  private func reopened(_ replica: Replica, _ model: any Model.Type) async throws -> Replica {
    await replica.store.close()
    return try Replica(folder: replica.folder, [model])
  }

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
    a = try await reopened(a, SwappedPerson.self)
    try await a.store.updateAll(SwappedPerson.all) { $0.age.set(36) }
    try await a.exchange(with: b)
    #expect(
      try await b.store.find(FirstPerson.self, "ada") == FirstPerson(id: "ada", first: "Ada", last: "Lovelace", age: 36)
    )
    try await b.setClock(past: a)
    try await b.store.updateAll(FirstPerson.all) { $0.last.set("King") }
    try await a.exchange(with: b)
    #expect(try await a.store.find(SwappedPerson.self, "ada")?.first == "King")
    b = try await reopened(b, SwappedPerson.self)
    // Names are swapped once.
    a = try await reopened(a, SwappedPerson.self)
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
    a = try await reopened(a, ReusedPerson.self)
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
    b = try await reopened(b, ReusedPerson.self)
    try await a.exchange(with: b)
    try await expectEqual([a, b])
  }

  @Test("S16: a new property with the name that another one had is another property")
  func parented() async throws {
    var (a, b) = try await pair()
    a = try await reopened(a, ParentedPerson.self)
    try await a.store.updateAll(ParentedPerson.all) { $0.last.set("new") }
    try await a.exchange(with: b)
    #expect(try await b.store.find(FirstPerson.self, "ada") == ada)
    try await b.setClock(past: a)
    try await b.store.updateAll(FirstPerson.all) { $0.last.set("King") }
    try await a.exchange(with: b)
    let person = ParentedPerson(id: "ada", first: "Ada", family: "King", last: "new")
    #expect(try await a.store.find(ParentedPerson.self, "ada") == person)
    b = try await reopened(b, ParentedPerson.self)
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
    a = try await reopened(a, OncePerson.self)
    a = try await reopened(a, TwicePerson.self)
    try await a.store.updateAll(TwicePerson.all) { $0.surname.set("King") }
    try await a.exchange(with: b)
    #expect(try await b.store.find(FirstPerson.self, "ada")?.last == "King")
    b = try await reopened(b, TwicePerson.self)
    let c = try Replica([TwicePerson.self])
    for (one, other) in [(c, a), (b, a), (c, b)] { try await one.exchange(with: other) }
    try await expectEqual([a, b, c])
    #expect(try await c.store.find(TwicePerson.self, "ada") == TwicePerson(id: "ada", first: "Ada", surname: "King"))
  }

  @Test("S16: a model that no longer says what a property was called is refused, because a new file would part it")
  func forgotten() async throws {
    var (a, _) = try await pair()
    a = try await reopened(a, TwicePerson.self)
    let error = await #expect(throws: StoreError.self) { try await reopened(a, ForgetfulPerson.self) }
    #expect(error?.code == .unsupported)
    #expect(
      error?.message.contains("ForgetfulPerson.surname") == true || error?.message.contains("Person.surname") == true)
    #expect(error?.message.contains("originalName: \"last\"") == true)
    a = try await reopened(a, TwicePerson.self)
    #expect(try await a.store.find(TwicePerson.self, "ada")?.surname == "Lovelace")
  }
}
