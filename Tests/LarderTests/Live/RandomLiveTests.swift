import Foundation
import LarderTestSupport
import Testing

@testable import Larder

@Model
private struct Branch: Hashable {
  var id: Int
  var name: String = ""
  @Attribute(.unique) var code: String?
  var level: Int8 = 0
  var weight: Decimal = 0
  var tags: Set<String> = []
  var scores: [Double: Int] = [:]
  var seenAt: Date = Date(timeIntervalSinceReferenceDate: 0)
  @Attribute(.iso8601) var textDay: Date?
  @Relationship(deleteRule: .cascade) var parent: ToOne<Branch>?
  @Relationship(inverse: \Branch.parent, ordered: true) var children: ToMany<Branch> = []
  @Relationship(inverse: \TwigTag.branches) var labels: ToMany<TwigTag> = []
  @Derived(.sum(\Branch.children, \Branch.weight)) var below: Decimal = 0
  @Derived(.count(\Branch.children)) var count: Int = 0
}

/// Its keys are texts that Swift takes for the same and the file does not.
@Model
private struct TwigTag: Hashable {
  var id: String
  @Attribute(.searchable) var text: String = ""
  var branches: ToMany<Branch> = []
}

@Model
private struct Holder: Hashable {
  var id: Int
  @Relationship(deleteRule: .deny) var branch: ToOne<Branch>?
  @Relationship(deleteRule: .cascade) var other: ToOne<Branch>?
}

/// Live results against reads that begin anew, after each of many changes of all kinds.
@Suite("Live results: random changes", .timeLimit(.minutes(20)))
struct RandomLiveTests {
  private let store: Store
  private var db: BlockingStore { store.blocking }
  private static let texts = ["é", "e\u{301}", "a", "🌶ok"]

  init() throws {
    try self.init(Store(inMemoryFor: Branch.self, TwigTag.self, Holder.self))
  }

  private init(_ store: Store) throws {
    self.store = store
    try store.blocking.sql(
      "create table Log (id integer primary key, code text unique on conflict replace, number integer default 0)")
    try store.blocking.sql("create view Seen as select id, level from Branch")
  }

  private func probes() throws -> [LiveProbe] {
    @Sendable func rows(_ rows: [Row]) -> String { rows.map { "\($0)" }.joined(separator: "\n") }
    let all = Branch.all.sorted(by: \.id)
    return [
      try LiveProbe("fetch", store) {
        "\(try $0.fetch(all).map { [$0.name, "\($0.level) \($0.weight) \($0.tags.sorted()) \($0.below)"] })"
      },
      try LiveProbe("count", store) { "\(try $0.count(Branch.all))" },
      try LiveProbe("filter", store) { "\(try $0.fetch(Branch.where { $0.level > 2 }.sorted(by: \.id)).map(\.id))" },
      try LiveProbe("filter across the relation", store) {
        "\(try $0.fetch(Branch.where { $0.parent.level > 1 }.sorted(by: \.id)).map(\.id))"
      },
      try LiveProbe("filter by related rows", store) {
        "\(try $0.fetch(Branch.where { $0.children.contains { $0.weight > 1 } }.sorted(by: \.id)).map(\.id))"
      },
      try LiveProbe("including", store) { db in
        try db.fetch(all.including(\.children).including(\.labels)).map {
          "\($0.id) \($0.children.map(\.id)) \($0.labels.map { Array($0.id.utf8) })"
        }
        .joined(separator: "\n")
      },
      try LiveProbe("groups", store) {
        "\(try $0.fetch(Branch.all.grouped(by: \.level) { ($0.key, $0.count, $0.sum(\.weight)) }))"
      },
      try LiveProbe("derived", store) { rows(try $0.sql("SELECT id, below, count FROM Branch ORDER BY id")) },
      try LiveProbe("tags", store) {
        "\(try $0.fetch(TwigTag.all.sorted(by: \.id)).map { [Array($0.id.utf8), Array($0.text.utf8)] })"
      },
      try LiveProbe("search", store) {
        "\(try $0.fetch(TwigTag.search(typed: "ok").sorted(by: \.id)).map { Array($0.id.utf8) })"
      },
      try LiveProbe("holders", store) {
        "\(try $0.fetch(Holder.all.sorted(by: \.id)).map { "\($0.id) \($0.branch?.id ?? 0) \($0.other?.id ?? 0)" })"
      },
      try LiveProbe("a view", store) { rows(try $0.sql("SELECT * FROM Seen ORDER BY 1, 2")) },
      try LiveProbe("a table without a model", store) { rows(try $0.sql("SELECT * FROM Log ORDER BY id")) },
      try LiveProbe("its rows", store) { rows(try $0.sql("SELECT count(*) FROM Log")) },
      try LiveProbe("pairs", store) { "\(try $0.count(Branch.where { $0.labels.contains("é") }))" },
      try LiveProbe("page", store) {
        "\(try $0.fetch(Branch.all.sorted(by: \.weight).sorted(by: \.id).limit(3, offset: 1)).map(\.id))"
      },
    ]
  }

  // MARK: Changes

  private static func branch(_ random: inout SplitMix64) -> Branch {
    var branch = Branch(
      id: Int.random(in: 1...12, using: &random), name: random.pick(texts),
      level: Int8.random(in: -3...4, using: &random))
    branch.code = random.once(in: 2) ? nil : "c\(Int.random(in: 1...20, using: &random))"
    branch.weight = Decimal(Int.random(in: -9...9, using: &random)) / 3
    branch.tags = Set(texts.filter { _ in random.once(in: 2) })
    branch.scores = [0.5: 1, 1.5: Int.random(in: 0...1, using: &random), 2.5: 3]
    branch.seenAt = Date(timeIntervalSinceReferenceDate: Double(Int.random(in: 0...3, using: &random)))
    branch.textDay = random.once(in: 2) ? nil : branch.seenAt
    return branch
  }

  /// A change by a verb that the store and contexts have.
  private static func change(_ db: some StoreWriter, _ random: inout SplitMix64) throws {
    let id = Int.random(in: 1...12, using: &random)
    switch Int.random(in: 0..<15, using: &random) {
    case 0, 1, 2: try db.save(branch(&random))
    case 3: try db.insert([branch(&random), branch(&random)])
    case 4: try db.delete(Branch.self, id)
    case 5:
      try db.updateAll(Branch.where { $0.parent.level >= 0 }) { $0.level.set { $0.parent.level.or(0) + $0.level } }
    case 6:
      try db.updateAll(Branch.where { $0.children.contains { $0.level > 0 } }) {
        $0.weight.set { $0.weight / 3 + $0.below }
      }
    case 7: try db.updateAll(Branch.where { $0.id == id }) { $0.parent.set(id > 3 ? ToOne(id / 3) : nil) }
    case 8:
      try db.updateAll(Branch.where { $0.textDay.or($0.seenAt) == $0.seenAt }) {
        $0.seenAt.set { $0.textDay.or($0.seenAt) }
      }
    case 9: try db.save(TwigTag(id: random.pick(texts), text: random.pick(texts) + " ok"))
    case 10: try db.delete(TwigTag.self, random.pick(texts))
    case 11:
      if let row = try db.find(Branch.self, id), let tag = try db.find(TwigTag.self, random.pick(texts)) {
        try db.link(row, \.labels, tag)
      }
    case 12:
      try db.save(
        Holder(
          id: id, branch: random.once(in: 2) ? nil : ToOne(id), other: random.once(in: 2) ? nil : ToOne(id / 2 + 1)))
    case 13: try db.deleteAll(Branch.where { $0.parent.level < 0 })
    default:
      // Two rows exchange a unique value.
      guard var one = try db.find(Branch.self, id), var other = try db.find(Branch.self, id / 2 + 1), one.id != other.id
      else { return }
      (one.code, other.code) = (other.code, nil)
      let code = one.code
      try db.update(other)
      try db.update(one)
      other.code = code.map { "x\($0)" }
      try db.update(other)
    }
  }

  /// SQL that makes a change which SQL alone can make.
  private static func statement(_ random: inout SplitMix64) -> [String] {
    let (id, other) = (Int.random(in: 1...6, using: &random), Int.random(in: 1...6, using: &random))
    switch Int.random(in: 0..<12, using: &random) {
    case 0: return ["insert into Log (code, number) values ('c\(id)', \(other))"]
    case 1: return ["update Log set code = 'c\(id)' where id = \(other)"]
    case 2: return ["update Log set number = number + 1 where id = \(id)"]
    case 3: return ["update or replace Branch set code = 'c\(id)' where id = \(other)"]
    case 4: return ["insert or replace into TwigTag (id, text) values ('a', '\(id) ok')"]
    case 5: return ["drop trigger if exists follow"]
    case 6:
      let body =
        id > 3
        ? "update or replace Branch set code = 'c1' where id = new.number"
        : "update Branch set level = (level + 1) % 9 where id > \(other)"
      return ["drop trigger if exists follow", "create trigger follow after insert on Log begin \(body); end"]
    case 7:
      return [
        "drop trigger if exists count",
        "create trigger count after update of level on Branch begin update Log set number = number + 1; end",
      ]
    case 8:
      return [
        "drop view Seen",
        id > 3
          ? "create view Seen as select id, level from Branch"
          : "create view Seen as select id, number as level from Log",
      ]
    // Refused if it is there, or not.
    case 9:
      return [
        id > 3
          ? "alter table Log drop column twice"
          : "alter table Log add column twice integer generated always as (number * 2)"
      ]
    case 10:
      return ["update TwigTag set id = '\(random.pick(texts))' where id = '\(random.pick(texts))'"]
    default: return ["delete from Log where id = \(id)"]
    }
  }

  /// Changes with the same words each time, whose statements were compiled before the schema changed.
  private func changeAsBefore(_ random: inout SplitMix64) throws {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: try db.sql("insert into Log (number) values (2)")
    case 1: try db.sql("update Log set number = (number + 1) % 7")
    case 2: try db.updateAll(Branch.where { $0.level < 5 }) { $0.level.set { $0.level + 1 } }
    default: try db.sql("delete from Log where id in (select max(id) from Log)")
    }
  }

  private func change(_ context: Context, _ random: inout SplitMix64) throws {
    switch Int.random(in: 0..<12, using: &random) {
    case 0..<5: try Self.change(store.blocking, &random)
    case 5..<8: for statement in Self.statement(&random) { try db.sql(SQL(raw: statement)) }
    case 8:
      try db.write { transaction in
        for _ in 0..<3 { try Self.change(transaction, &random) }
      }
    case 9..<11:
      for _ in 0..<Int.random(in: 1...3, using: &random) { try Self.change(context, &random) }
      try context.save()
    default:
      if random.once(in: 2) { context.undo() } else { context.redo() }
      try context.save()
    }
  }

  @Test("no change is missed that makes a read another, by whatever it comes", arguments: 0..<4)
  func everyChange(_ number: Int) async throws {
    try await compare(seed: TestSeed.value &+ UInt64(number), rounds: 60)
  }

  @Test(
    "no change is missed while another connection or process changes rows, triggers, views and columns",
    arguments: 0..<4)
  func otherConnections(_ number: Int) async throws {
    let file = try StoreFile()
    let tests = try RandomLiveTests(file.open(Branch.self, TwigTag.self, Holder.self))
    let other = try Store(at: file.path, for: [], configuration: Store.Configuration(schema: .existing))
    let process = number.isMultiple(of: 2) ? try ChildProcess("sql", file.path) : nil
    if let process { #expect(await process.line() == "ready") }
    try await tests.compare(seed: TestSeed.value &+ UInt64(number), rounds: 40) { statement in
      if let process {
        process.send(statement)
        return await process.line() == "done"
      }
      do { _ = try await other.sql(SQL(raw: statement)) } catch is StoreError { return false }
      return true
    }
  }

  /// Makes random changes, and looks after each of them whether everybody was told who reads something else.
  ///
  /// - Parameter others: Executes a statement elsewhere, and returns whether it was not refused.
  private func compare(seed: UInt64, rounds: Int, others: ((String) async throws -> Bool)? = nil) async throws {
    var generator = SplitMix64(seed: seed)
    let context = Context(store)
    // By chance, no change may insert one.
    try store.blocking.save(Self.branch(&generator))
    let probes = try probes()
    var (refused, looks) = (0, 0)
    for round in 0..<rounds {
      // Each change draws from a generator of its own, so that a refused one takes no numbers from the next.
      var random = SplitMix64(seed: generator.next())
      var isChanged = false
      do {
        if let others, random.once(in: 2) {
          for statement in Self.statement(&random) {
            guard try await others(statement) else { break }
            isChanged = true
          }
          // A timer finds ten times a second that others have committed.
          store.live.wakeAll()
        } else {
          try change(context, &random)
          isChanged = true
        }
      } catch is StoreError {
        // Rules refuse some of the changes.
        refused += 1
        context.rollback()
      }
      func look(_ place: String) throws {
        for probe in probes where try probe.look() {
          Issue.record("seed \(seed), round \(round)\(place): \(probe.name) was told of no commit")
        }
      }
      try look("")
      if isChanged { looks += 1 }
      guard others != nil else { continue }
      for number in 0..<2 {
        do { try changeAsBefore(&random) } catch is StoreError { continue }
        try look(", as before \(number)")
        looks += 1
      }
    }
    TestSeed.tried(looks * probes.count, .liveChecks, "of rows")
    #expect(refused < rounds / 2, "too little was changed")
    #expect(try db.verifyDerived() == [])
  }
}
