import Foundation
import Larder
import Synchronization
import Testing

private enum OpenKind: String { case red, green, blue }
private enum FewerOpenKind: String { case red, green }
private enum ListedKind: String, CaseIterable { case red, green, blue }
private enum FewerListedKind: String, CaseIterable { case red, green }

private enum First {
  @Model("Note")
  struct Open: Hashable {
    var id: Int
    var kind: OpenKind
  }

  @Model("Note")
  struct Indexed: Hashable {
    var id: Int
    @Attribute(.indexed) var kind: OpenKind
  }

  @Model("Note")
  struct Listed: Hashable {
    var id: Int
    var kind: ListedKind?
  }

  @Model("Note")
  struct Real: Hashable {
    var id: Int
    var kind: Double
  }
}

private enum Second {
  @Model("Note")
  struct Open: Hashable {
    var id: Int
    var kind: FewerOpenKind
  }

  @Model("Note")
  struct Changed: Hashable {
    var id: Int
    var kind: FewerOpenKind
    var text = ""
  }

  @Model("Note")
  struct Indexed: Hashable {
    var id: Int
    @Attribute(.indexed) var kind: FewerOpenKind
  }

  @Model("Note")
  struct Listed: Hashable {
    var id: Int
    var kind: FewerListedKind?
  }

  @Model("Note")
  struct Single: Hashable {
    var id: Int
    var kind: Float
  }
}

@Suite("Types that hold less than what is stored")
struct StoredValueSampleTests {
  private let file: StoreFile

  init() throws {
    file = try StoreFile()
  }

  private func expectRefusal<M: Model>(_ model: M.Type, naming words: String) throws {
    try file.expectRefusal(.schemaMismatch, of: "kind", naming: "Note", words, "in a migration") {
      _ = try Store.plan(at: file.path, for: M.self)
    }
    try file.expectRefusal(.schemaMismatch, of: "kind", naming: "Note", words, "in a migration") {
      _ = try file.open(M.self)
    }
  }

  @Test("a case that an enum has lost is found on opening, by the newest rows")
  func lostCase() throws {
    try file.write((1...300).map { First.Open(id: $0, kind: $0 == 299 ? .blue : .red) })
    try expectRefusal(Second.Open.self, naming: "no case")
  }

  @Test("a case that an enum has lost is found wherever it is, when the model has changed as well or a migration runs")
  func changedModel() throws {
    try file.write((1...20_000).map { First.Open(id: $0, kind: $0 == 10_000 ? .blue : .red) })
    try expectRefusal(Second.Changed.self, naming: "no case")
    // A migration that doesn't correct the rows.
    try file.expectRefusal(.schemaMismatch, of: "kind", naming: "Note", "no case") {
      _ = try file.open(Second.Open.self, migrations: [Migration("nothing") { _ in }])
    }
    let correction = Migration("no more blue") { db in try db.sql("update Note set kind = 'green' where kind = 'blue'")
    }
    let store = try file.open(Second.Changed.self, migrations: [correction])
    #expect(try store.blocking.fetch(Second.Changed.where { $0.kind == .green }).map(\.id) == [10_000])
  }

  @Test("all rows are read when the model has changed, and a few whenever it is opened again")
  func readOnce() throws {
    try file.write((1...2_000).map { First.Open(id: $0, kind: .red) })
    var store: Store? = try file.open(Second.Changed.self)
    try store?.blocking.sql("update Note set kind = 'blue' where id = 1000")
    store = nil
    store = try file.open(Second.Changed.self)
    #expect(throws: StoreError.self) { try store?.blocking.fetch(Second.Changed.all) }
  }

  @Test("a case that an enum has lost is found wherever it is, where the column has an index")
  func indexedCase() throws {
    try file.write((1...300).map { First.Indexed(id: $0, kind: $0 == 150 ? .blue : .red) })
    try expectRefusal(Second.Indexed.self, naming: "no case")
  }

  @Test("a case that an enum with a list of its cases has lost is found wherever it is")
  func listedCase() throws {
    try file.write((1...300).map { First.Listed(id: $0, kind: $0 == 150 ? .blue : nil) })
    try expectRefusal(Second.Listed.self, naming: "no case")
  }

  @Test("an enum may lose a case that no row has")
  func unused() throws {
    try file.write((1...300).map { First.Listed(id: $0, kind: .red) })
    #expect(try file.open(Second.Listed.self).blocking.count(Second.Listed.all) == 300)
  }

  @Test("a number that a Float would round is found on opening")
  func single() throws {
    try file.write([First.Real(id: 1, kind: 0.5), First.Real(id: 2, kind: 0.1)])
    try expectRefusal(Second.Single.self, naming: "row 2")
  }

  @Test("a migration replaces what the type does not hold any longer")
  func corrected() throws {
    try file.write((1...300).map { First.Open(id: $0, kind: $0 == 299 ? .blue : .red) })
    let correction = Migration("no more blue") { db in try db.sql("update Note set kind = 'green' where kind = 'blue'")
    }
    let store = try file.open(Second.Open.self, migrations: [correction])
    #expect(try store.blocking.count(Second.Open.where { $0.kind == .green }) == 1)
  }

  @Test("a lost case that no checked row holds is found by the first fetch of its row, or by a migration")
  func unchecked() throws {
    try file.write((1...300).map { First.Open(id: $0, kind: $0 == 150 ? .blue : .red) })
    do {
      let db = try file.open(Second.Open.self).blocking
      #expect(try db.find(Second.Open.self, 149)?.kind == .red)
      for read in [{ _ = try db.fetch(Second.Open.all) }, { _ = try db.find(Second.Open.self, 150) }] {
        let error = #expect(throws: StoreError.self, performing: read)
        #expect(error?.code == .invalidValue && error?.model == "Open" && error?.property == "kind", "\(error as Any)")
      }
    }
    try file.expectRefusal(.schemaMismatch, of: "kind", naming: "Note", "no case") {
      _ = try file.open(Second.Open.self, migrations: [Migration("fewer cases") { _ in }])
    }
  }

  @Test("a file with a rollback journal is read once for lost cases")
  func rollbackJournal() throws {
    try file.sql(
      "create table Note (id INTEGER NOT NULL PRIMARY KEY, kind TEXT NOT NULL, text TEXT NOT NULL DEFAULT '') STRICT",
      creating: true)
    try file.sql("insert into Note (id, kind) values (1, 'red'), (2, 'blue')")
    try expectRefusal(Second.Changed.self, naming: "no case")
    try file.sql("update Note set kind = 'green'")
    let scans = Mutex<[String]>([])
    let configuration = Store.Configuration(trace: { event in
      if event.sql.hasPrefix("SELECT \"kind\" FROM") { scans.withLock { $0.append(event.sql) } }
    })
    let store = try Store(at: file.path, for: Second.Changed.self, configuration: configuration)
    #expect(scans.withLock { $0.count } == 1, "\(scans.withLock { $0 })")
    #expect(try store.blocking.count(Second.Changed.where { $0.kind == .green }) == 2)
  }
}
