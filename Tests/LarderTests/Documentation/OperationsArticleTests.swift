import Foundation
import Larder
import Logging
import Synchronization
import Testing

enum OperationsArticle {
  @Model
  struct Reading {
    var id: UUID = .v7()
    var value: Double

    init(value: Double) {
      self.value = value
    }
  }

  /// In the place of swift-metrics' type of the same name: the package does not depend on it.
  struct Timer {
    static let recorded = Mutex<[String: Int]>([:])
    let label: String
    let dimensions: [(String, String)]

    func recordNanoseconds(_ duration: Int64) {
      if duration > 0 {
        Self.recorded.withLock { $0["\(label) \(dimensions.map(\.1).joined(separator: " "))", default: 0] += 1 }
      }
    }
  }

  /// In the place of swift-distributed-tracing's function of the same name.
  static func withSpan<Result>(_ name: String, _ body: (String) async throws -> Result) async throws -> Result {
    try await body(name)
  }
}

@Suite("Documentation: Operations")
struct OperationsArticleTests {
  private typealias Reading = OperationsArticle.Reading
  private typealias Timer = OperationsArticle.Timer

  private let folder: ArticleFolder
  private let file: URL

  init() throws {
    folder = try ArticleFolder()
    file = folder.file("readings.larder")
    try Store(at: file, for: Reading.self).blocking.insert((1...10).map { Reading(value: Double($0)) })
  }

  @Test("a file is opened to be read, and refuses to be written")
  func readOnly() async throws {
    let store = try Store(at: file, for: Reading.self, configuration: Store.Configuration(access: .readOnly))
    let readings = try await store.fetch(Reading.all)

    #expect(readings.count == 10)
    let error = await #expect(throws: StoreError.self) { try await store.insert(Reading(value: 0)) }
    #expect(error?.code == .readOnly)
  }

  @Test("a check tells how far it is")
  func check() async throws {
    let store = try Store(at: file, for: Reading.self)
    let shown = Mutex<[String]>([])
    @Sendable func show(_ text: String) { shown.withLock { $0.append(text) } }

    let report = try await store.check { progress in
      show("\(progress.step.rawValue) \(progress.model ?? ""): \(progress.completed) of \(progress.total)")
    }
    if !report.isHealthy { show(report.description) }

    let parts = ["pages : 0 of 3", "schema : 1 of 3", "values Reading: 2 of 3", "values Reading: 3 of 3"]
    #expect(shown.withLock { $0 } == parts)
  }

  @Test("slow statements are logged, and values are shown where they are asked for")
  func trace() async throws {
    let log = Logger(label: "operations")
    do {
      let configuration = Store.Configuration(trace: { event in
        if event.duration > .milliseconds(100) { log.warning("\(event)") }
      })
      #expect(try Store(at: file, for: Reading.self, configuration: configuration).blocking.count(Reading.all) == 10)
    }
    let printed = Mutex<[String]>([])
    @Sendable func print(_ sql: String, _ plan: [String]) { printed.withLock { $0.append(sql) } }
    do {
      let configuration = Store.Configuration(
        trace: { print($0.expandedSQL ?? $0.sql, $0.plan ?? []) }, traceOptions: [.values, .plans])
      let store = try Store(at: file, for: Reading.self, configuration: configuration)
      #expect(try store.blocking.count(Reading.where { $0.value == 4.5 }) == 0)
    }
    #expect(printed.withLock { $0 }.contains { $0.contains("4.5") })
  }

  @Test("the bridges to metrics and spans are a few lines")
  func bridges() async throws {
    func withSpan<Result>(_ name: String, _ body: (String) async throws -> Result) async throws -> Result {
      try await OperationsArticle.withSpan(name, body)
    }
    let configuration = Store.Configuration(trace: { event in
      let (seconds, attoseconds) = event.duration.components
      let timer = Timer(
        label: "larder.statement", dimensions: [("role", event.role.rawValue), ("write", "\(event.isWrite)")])
      timer.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    })
    let store = try Store(at: file, for: Reading.self, configuration: configuration)

    let count = try await withSpan("count readings") { _ in
      try await store.count(Reading.all)
    }

    #expect(count == 10)
    #expect(Timer.recorded.withLock { $0["larder.statement reader false", default: 0] } > 0)
  }

  @Test("connections are set up before they are used")
  func onOpen() async throws {
    let configuration = Store.Configuration(
      cacheSize: 16 << 20, mmapSize: 256 << 20,
      onOpen: { connection in
        try connection.execute("PRAGMA case_sensitive_like = ON")
      })
    let store = try Store(at: file, for: Reading.self, configuration: configuration)
    #expect(try await store.sql("select 'A' like 'a' as alike").first?["alike"] == 0)
    #expect(try await store.sql("pragma cache_size", as: Int.self) == [-16384])
  }

  @Test("a store that is suspended refuses to write until it is resumed")
  func suspension() async throws {
    let app = App(store: try Store(at: file, for: Reading.self))
    app.applicationDidEnterBackground()
    let error = await #expect(throws: StoreError.self) { try await app.store.insert(Reading(value: 0)) }
    #expect(error?.code == .suspended)
    #expect(try await app.store.count(Reading.all) == 10)
    app.applicationWillEnterForeground()
    try await app.store.insert(Reading(value: 0))
    #expect(try await app.store.count(Reading.all) == 11)
  }

  private struct App {
    let store: Store

    func applicationDidEnterBackground() { store.suspend() }
    func applicationWillEnterForeground() { store.resume() }
  }
}
