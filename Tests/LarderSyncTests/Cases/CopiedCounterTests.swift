import Foundation
import Larder
import LarderTestSupport
import Testing

@testable import LarderSync

@Suite("Sync: counters in copies of a file, and in files that were put back in place")
struct CopiedCounterTests {
  private func views(_ replica: Replica) async throws -> Int? {
    try await replica.store.find(SharedPage.self, "home")?.views
  }

  private func count(_ number: Int, in replica: Replica) async throws {
    try await replica.store.updateAll(SharedPage.all) { $0.views.increment(by: number) }
  }

  @Test(
    "S12, S17: a file that was put back in place and has counted since gets back what it had handed out",
    arguments: [false, true], [false, true])
  func countingInPlace(answers: Bool, hasUnsentAdditions: Bool) async throws {
    let (a, b) = (try Replica(), try Replica())
    try await a.store.insert(SharedPage(id: "home", views: hasUnsentAdditions ? 8 : 10))
    try await a.store.insert(SharedPage(id: "other"))
    try await a.exchange(with: b)
    let former = try await a.store.sync.replica()
    let home = SharedPage.where { $0.id == "home" }
    if hasUnsentAdditions { try await a.store.updateAll(home) { $0.views.increment(by: 2) } }
    let old = try await a.bytes()
    try await a.store.insert(SharedKind(id: "lost", title: "handed out"))
    try await a.store.updateAll(home) { $0.views.increment(by: 3) }
    try await a.exchange(with: b)
    var restored = try await a.replacingFile(with: old)
    try await restored.setClock(past: b)
    let counted = hasUnsentAdditions ? "other" : "home"
    try await restored.store.updateAll(SharedPage.where { $0.id == counted }) { $0.views.increment(by: 1) }
    restored = try await restored.reopened()
    // Who only asks makes it hand out nothing.
    #expect(try await restored.store.sync.replica() == former)
    #expect(try await restored.store.sync.cursor(of: former).position < restored.now())
    let (one, other) = answers ? (b, restored) : (restored, b)
    try await one.exchange(with: other)
    #expect(try await restored.store.sync.replica() != former)
    try await other.exchange(with: one)
    #expect(try await restored.kindKeys() == ["lost"])
    #expect(try await restored.store.find(SharedPage.self, "home")?.views == (hasUnsentAdditions ? 13 : 14))
    #expect(try await restored.store.find(SharedPage.self, "other")?.views == (hasUnsentAdditions ? 1 : 0))
    try await expectEqual([restored, b])
  }

  @Test(
    "S12, S17: what was counted and never handed out when a copy was made counts once, though both files go on",
    arguments: [false, true])
  func countedInBoth(originalBegins: Bool) async throws {
    let a = try Replica()
    try await a.store.insert(SharedPage(id: "home", views: 10))
    let b = try await a.copied()
    try await b.store.insert(SharedKind(id: "b", title: "of the copy"))
    let (one, other) = originalBegins ? (a, b) : (b, a)
    try await one.exchange(with: other)
    #expect(try await a.store.sync.replica() != b.store.sync.replica())
    for replica in [a, b] { #expect(try await views(replica) == 10) }
    try await count(1, in: a)
    try await count(2, in: b)
    try await one.exchange(with: other)
    try await other.exchange(with: one)
    #expect(try await views(a) == 13)
    try await expectEqual([a, b])
  }

  @Test("S12, S17: so it does if sync was switched on by enable()")
  func countedInEnabled() async throws {
    let a = try Replica(configuration: Store.Configuration())
    try await a.store.sync.enable()
    try await a.store.insert(SharedPage(id: "home", views: 10))
    let url = a.folder.file("copy")
    try await a.store.backup(to: url)
    let copy = try Store(at: url, for: Replica.ledger, configuration: Store.Configuration())
    try await copy.sync.enable()
    try await copy.updateAll(SharedPage.all) { $0.views.increment(by: 2) }
    try await a.store.updateAll(SharedPage.all) { $0.views.increment(by: 1) }
    try await copy.sync.exchange(with: a.store.sync)
    try await a.store.sync.exchange(with: copy.sync)
    for store in [a.store, copy] { #expect(try await store.find(SharedPage.self, "home")?.views == 13) }
  }

  @Test("S12, S17: so it does if the copy is first opened by a program that doesn't switch sync on")
  func countedInPlainCopy() async throws {
    let (a, b) = (try Replica(), try Replica())
    try await a.store.insert(SharedPage(id: "home", views: 10))
    let url = a.folder.file("copy")
    try await a.store.backup(to: url)
    let copy = try Store(at: url, for: Replica.ledger, configuration: Store.Configuration())
    try await copy.sync.exchange(with: b.store.sync)
    for _ in 0..<2 { try await a.exchange(with: b) }
    try await copy.sync.exchange(with: b.store.sync)
    for store in [a.store, b.store, copy] { #expect(try await store.find(SharedPage.self, "home")?.views == 10) }
  }

  @Test(
    "S12, S17, S18: what is counted after a file was put back counts, also if clocks are ahead",
    arguments: [false, true])
  func countingWithClockAhead(countsFirst: Bool) async throws {
    let (a, b, c) = (try Replica(), try Replica(), try Replica())
    try await a.store.insert(SharedPage(id: "home", views: 10))
    try await a.exchange(with: b)
    let old = try await a.bytes()
    if countsFirst { try await count(3, in: a) }
    try await c.store.writingModule { connection in
      try connection.execute("UPDATE _larder_sync_clock SET now = now + (3600000 << 16)")
    }
    try await c.store.insert(SharedKind(id: "late", title: "ahead"))
    try await a.exchange(with: c)
    if !countsFirst { try await count(3, in: a) }
    try await a.exchange(with: b)
    let restored = try await a.replacingFile(with: old)
    try await count(1, in: restored)
    for _ in 0..<2 { try await restored.exchange(with: b) }
    #expect(try await views(restored) == 14)
    try await expectEqual([restored, b])
  }

  @Test("S12, S17: a file that was put back in place becomes a new replica when it is to go on after a lost export")
  func exportingInPlace() async throws {
    let (a, b) = (try Replica(), try Replica())
    try await a.store.insert(SharedPage(id: "home", views: 10))
    let first = try await a.store.sync.export(to: a.folder.file("first"))
    let old = try await a.bytes()
    try await count(3, in: a)
    try await a.store.insert(SharedKind(id: "lost", title: "handed out"))
    let second = try await a.store.sync.export(to: a.folder.file("second"), since: first.upTo)
    for file in [first, second] { try await b.store.sync.import(from: file.url) }
    let former = try await a.store.sync.replica()
    let restored = try await a.replacingFile(with: old)
    try await restored.setClock(past: b)
    try await count(1, in: restored)
    let url = restored.folder.file("third")
    let error = await #expect(throws: StoreError.self) {
      try await restored.store.sync.export(to: url, since: second.upTo)
    }
    #expect(error?.code == .invalidValue)
    #expect(!FileManager.default.fileExists(atPath: url.path))
    #expect(try await restored.store.sync.replica() != former)
    try await b.store.sync.import(from: restored.store.sync.export(to: url).url)
    try await restored.store.sync.import(from: b.store.sync.export(to: b.folder.file("answer")).url)
    for replica in [restored, b] {
      #expect(try await views(replica) == 14)
      #expect(try await replica.kindKeys() == ["lost"])
    }
  }

  @Test("S12, S17, S21: what was counted before sync was switched on, or before the last copy, counts once in a copy")
  func countedBefore() async throws {
    let (a, b) = (try Replica(configuration: .init()), try Replica())
    try await a.store.insert(SharedPage(id: "home", views: 1000))
    try await a.store.sync.enable()
    try await a.exchange(with: b)
    var last = a
    for expected in 1001...1003 {
      try await count(1, in: last)
      let copy = try await last.copied()
      try await copy.exchange(with: b)
      #expect(try await views(b) == expected)
      try await expectEqual([copy, b])
      last = copy
    }
    try await count(1, in: last)
    try await last.exchange(with: b)
    #expect(try await views(b) == 1004)
  }

  @Test("S12, S17: what a file has counted, and gets back from others, counts once in a copy")
  func countThatComesBack() async throws {
    let (a, b) = (try Replica(), try Replica())
    try await a.store.insert(SharedPage(id: "home", views: 10))
    try await a.exchange(with: b)
    // As if the row had been swept.
    try await a.store.writingModule { try $0.run("DELETE FROM \(SyncTables.counters)") }
    try await a.store.sync.import(from: b.store.sync.export(to: b.folder.file("changes")).url)
    try await count(1, in: a)
    let copy = try await a.copied()
    try await copy.exchange(with: b)
    #expect(try await views(b) == 11)
    try await expectEqual([copy, b])
  }
}
