import Foundation
import Larder
import Synchronization
import Testing

@Model
struct Reporter {
  var id: UUID = .v7()
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Story.reporter) var stories: ToMany<Story> = []
  @Derived(.count(\Reporter.stories)) var storyCount = 0
}

@Model
struct Story {
  var id: UUID = .v7()
  var headline: String
  var isDraft = true
  var publishedAt: Date = .now
  var reporter: ToOne<Reporter>

  static var indexes: [Index<Self>] {
    [Index(\.isDraft, \.publishedAt)]
  }
}

@Suite("Documentation: Performance")
@MainActor
struct PerformanceArticleTests {
  private static let start = Date(timeIntervalSinceReferenceDate: 800_000_000)
  private let reporter = Reporter(name: "Ida")

  private func stories(_ count: Int) -> [Story] {
    (0..<count).map { number in
      let date = Self.start.addingTimeInterval(Double(number))
      return Story(headline: "story \(number)", isDraft: number % 4 == 0, publishedAt: date, reporter: ToOne(reporter))
    }
  }

  private func makeStore(_ configuration: Store.Configuration = .init()) async throws -> Store {
    let store = try Store(inMemoryFor: Reporter.self, configuration: configuration)
    try await store.insert(reporter)
    try await store.insert(stories(100))
    return store
  }

  @Test("a trace with plans tells which statement looks at every row")
  func plans() async throws {
    let printed = Mutex<[String]>([])
    @Sendable func print(_ sql: String, _ plan: [String]) { printed.withLock { $0.append(sql) } }

    let configuration = Store.Configuration(
      trace: { event in
        guard let plan = event.plan, plan.contains(where: { $0.contains("SCAN") }) else { return }
        print(event.sql, plan)
      }, traceOptions: .plans)

    let store = try await makeStore(configuration)
    printed.withLock { $0 = [] }

    let published = Story.where { $0.isDraft == false }.sorted(by: \.publishedAt, order: .reverse).limit(20)

    #expect(try await store.fetch(published).count == 20)
    #expect(printed.withLock { $0 } == [])
    #expect(try await store.fetch(Story.where { !$0.isDraft }).count == 75)
    #expect(printed.withLock { $0 }.count == 1)
  }

  @Test("SQLite explains a statement")
  func explain() async throws {
    let store = try await makeStore()
    var printed: [String] = []
    func print(_ text: String) { printed.append(text) }

    let plan = try await store.sql(
      "explain query plan select * from \(Story.self) where isDraft = \(false) order by publishedAt desc")
    for step in plan { print(step["detail"]?.text ?? "") }

    #expect(printed.count == 1)
    #expect(printed.first?.contains("USING INDEX") == true)
  }

  @Test("what is related comes with one more statement, and counts without any")
  func related() async throws {
    let statements = Mutex(0)
    let store = try await makeStore(
      Store.Configuration(trace: { if $0.sql.hasPrefix("SELECT") { statements.withLock { $0 += 1 } } }))
    try await store.insert((1...9).map { Reporter(name: "reporter \($0)") })
    var printed = 0
    func print(_ name: String, _ count: Int) { printed += count }
    statements.withLock { $0 = 0 }

    for reporter in try await store.fetch(Reporter.all.including(\.stories)) {
      print(reporter.name, reporter.stories.count)
    }

    #expect(printed == 100)
    #expect(statements.withLock { $0 } <= 4)
    let busy = Reporter.where { $0.storyCount > 10 }

    #expect(try await store.fetch(busy).map(\.name) == ["Ida"])
  }

  @Test("the database counts, adds and changes without handing over rows")
  func inTheDatabase() async throws {
    let store = try await makeStore()

    let drafts = try await store.count(Story.where { $0.isDraft == true })
    let hasDrafts = try await store.exists(Story.where { $0.isDraft == true })
    let perReporter = try await store.fetch(Story.all.grouped(by: \.reporter.name) { ($0.key, $0.count) })
    let changed = try await store.updateAll(Story.where { $0.isDraft == true }) { $0.isDraft.set(false) }

    #expect(drafts == 25)
    #expect(hasDrafts)
    #expect(perReporter.map(\.1) == [100])
    #expect(changed == 25)
  }

  @Test("pages begin behind the last row, and a stream hands over all of them")
  func pages() async throws {
    let store = try await makeStore()
    var shown: [Story] = []
    func show(_ stories: [Story]) { shown += stories }
    func export(_ story: Story) { shown.append(story) }

    let newest = Story.all.sorted(by: \.publishedAt, order: .reverse)
    var page = try await store.fetch(newest.limit(50))
    while let last = page.last {
      show(page)
      page = try await store.fetch(newest.after(last).limit(50))
    }

    #expect(shown.map(\.headline) == (0..<100).reversed().map { "story \($0)" })
    shown = []

    for try await story in store.stream(newest) {
      export(story)
    }

    #expect(shown.count == 100)
  }

  @Test("an import is a few transactions")
  func batches() async throws {
    let store = try Store(inMemoryFor: Reporter.self)
    try await store.insert(reporter)
    let stories = stories(2_500)

    for start in stride(from: 0, to: stories.count, by: 1_000) {
      try await store.insert(Array(stories[start..<min(start + 1_000, stories.count)]))
    }

    #expect(try await store.count(Story.all) == 2_500)

    let (all, newest) = try await store.read { db in
      (try db.count(Story.all), try db.fetch(Story.all.sorted(by: \.publishedAt, order: .reverse).limit(20)))
    }

    #expect(all == 2_500)
    #expect(newest.count == 20)
  }
}
