import Foundation
import Larder
import Testing

@testable import LarderSync

@Model("Place")
private struct SharedPlace: Hashable {
  var id: UUID = .v7()
  var name: String
}

@Model("Place", syncs: false)
private struct LocalPlace: Hashable {
  var id: UUID = .v7()
  var name: String
}

@Model(syncs: false)
private struct Pin: Hashable {
  var id: UUID = .v7()
  var place: ToOne<SharedPlace>
}

@Model
private struct Route: Hashable {
  var id: UUID = .v7()
  var place: ToOne<LocalPlace>?
}

@Suite("Sync: models that stay on their device")
struct LocalModelTests {
  @Test("B13: their rows aren't sent, whatever their key, and have no metadata")
  func local() async throws {
    let (a, b) = (try Replica(), try Replica())
    let account = SharedAccount(name: "Cash")
    try await a.store.insert(account)
    try await a.store.insert(LocalWindow(id: 1, title: "of a", account: ToOne(account)))
    try await b.store.insert(LocalWindow(id: 1, title: "of b"))
    try await a.exchange(with: b)
    try await expectEqual([a, b])
    #expect(try await a.store.find(LocalWindow.self, 1)?.title == "of a")
    #expect(try await b.store.find(LocalWindow.self, 1)?.title == "of b")
    #expect(try await a.state().keys.map(\.table) == ["SharedAccount"])
    try await b.store.deleteAll(SharedAccount.all)
    try await b.exchange(with: a)
    #expect(try await a.store.count(LocalWindow.all) == 0)
    #expect(try await b.store.count(LocalWindow.all) == 1)
  }

  @Test("a reference of a model that syncs to one that doesn't is refused with a remedy")
  func referenceToLocal() throws {
    let error = #expect(throws: StoreError.self) { try Replica([Route.self, LocalPlace.self]) }
    #expect(error?.code == .unsupported)
    #expect(error?.property == "place")
    #expect(error?.description.contains("syncs: false") == true)
  }

  @Test("a row that stays must not keep one from being deleted that syncs")
  func denial() throws {
    let error = #expect(throws: StoreError.self) { try Replica([SharedPlace.self, Pin.self]) }
    #expect(error?.code == .unsupported)
    #expect(error?.description.contains(".cascade") == true)
  }

  @Test("a model can leave sync and return: its rows stay, and the latest values win")
  func leaving() async throws {
    let (a, b) = (try Replica([SharedPlace.self]), try Replica([SharedPlace.self]))
    let (one, two) = (SharedPlace(name: "One"), SharedPlace(name: "Two"))
    try await a.store.insert([one, two])
    try await a.exchange(with: b)
    let local = try await b.reopened(LocalPlace.self)
    #expect(try await local.store.count(LocalPlace.all) == 2)
    // What was sent before is held for others.
    #expect(try await local.state() == a.state())
    try await local.store.updateAll(LocalPlace.where { $0.id == one.id }) { $0.name.set("Local") }
    let three = SharedPlace(name: "Three")
    try await a.store.insert(three)
    try await a.store.updateAll(SharedPlace.where { $0.id == two.id }) { $0.name.set("Changed") }
    try await local.exchange(with: a)
    #expect(try await local.store.count(LocalPlace.all) == 2)
    #expect(try await a.store.find(SharedPlace.self, one.id)?.name == "One")
    await local.store.close()
    let returned = try Replica(folder: b.folder, [SharedPlace.self])
    for _ in 0..<2 {
      try await returned.exchange(with: a)
      try await a.exchange(with: returned)
    }
    try await expectEqual([a, returned])
    #expect(try await a.store.find(SharedPlace.self, one.id)?.name == "Local")
    #expect(try await returned.store.find(SharedPlace.self, three.id) == three)
  }
}
