import Foundation

@testable import Larder

/// A live sequence of rows that expire, and what it showed last.
final class ExpiryWatch {
  private let probe: LiveProbe
  private let next: () async throws -> String?
  private let expected: (ExpiryWorld, Double) -> String
  private var shown: String?

  private init(
    _ probe: LiveProbe, expected: @escaping (ExpiryWorld, Double) -> String, next: @escaping () async throws -> String?
  ) {
    self.probe = probe
    self.expected = expected
    self.next = next
  }

  /// Lets the sequence show what it has been told of. Returns what is wrong; nil if it shows the world.
  ///
  /// A sequence that was not told would never return: a probe of the same read is asked first.
  func check(_ world: ExpiryWorld, at now: Double) async throws -> String? {
    if try probe.look() { return "\(probe.name) were not told of a change, and would show \(probe.text)" }
    let expected = expected(world, now)
    if shown != expected { shown = try await next() }
    return shown == expected ? nil : "\(probe.name) show \(shown ?? "nothing") instead of \(expected)"
  }

  // MARK: Kinds

  /// Returns a watch of each kind of sequence.
  static func all(_ store: Store) throws -> [ExpiryWatch] {
    let papers = store.documents("papers").live(sort: "key") { $0.n > 1 }
    let groups = store.live(ExpiryPermit.all.grouped(by: \.level) { ($0.key, $0.count) })
    let sections = store.live(ExpiryPermit.all.sorted(by: \.id), sectionedBy: \.level)
    return [
      try live("live rows", store.live(ExpiryQuestion.secondToFourth)) {
        $0.map(\.line)
      } expected: { world, now in
        world.permits(at: now).sorted { ($0.level, $0.id) < ($1.level, $1.id) }.dropFirst().prefix(3).map(\.line)
      },
      try live("live groups", groups) {
        $0.map { "\($0.0): \($0.1)" }.sorted()
      } expected: { world, now in
        Dictionary(grouping: world.permits(at: now), by: \.level).map { "\($0.key): \($0.value.count)" }.sorted()
      },
      try live("live sections", sections) {
        $0.map { "\($0.key): \($0.map(\.line))" }
      } expected: { world, now in
        let permits = world.permits(at: now)
        var levels: [Int] = []
        for permit in permits where !levels.contains(permit.level) { levels.append(permit.level) }
        return levels.map { level in "\(level): \(permits.filter { $0.level == level }.map(\.line))" }
      },
      try live("live documents", papers) {
        $0.map { "\($0.key) \($0.value["n"]?.integer ?? -1)" }
      } expected: {
        $0.papers(at: $1).filter { $0.number > 1 }.map { "\($0.key) \($0.number)" }
      },
      try changes("changes of rows", store, ExpiryPermit.all.sorted(by: \.level).sorted(by: \.id)) {
        $0.line
      } expected: {
        world, now in
        world.permits(at: now).sorted { ($0.level, $0.id) < ($1.level, $1.id) }
      },
      try changes("changes of included rows", store, ExpiryTicket.all.including(\.permit).sorted(by: \.id)) {
        "\($0.line): \($0.permit?.loaded?.line ?? "-")"
      } expected: { world, now in
        world.tickets(at: now).map { world.loaded($0, at: now) }
      },
    ]
  }

  private static func live<Element>(
    _ name: String, _ results: LiveResults<Element>, lines: @escaping @Sendable (Element) -> [String],
    expected: @escaping (ExpiryWorld, Double) -> [String]
  ) throws -> ExpiryWatch {
    let texts = LiveResults<String>(store: results.store) { lines(try results.read($0)).joined(separator: "\n") }
    var iterator = results.makeAsyncIterator()
    return ExpiryWatch(try LiveProbe(name, texts)) { world, now in
      expected(world, now).joined(separator: "\n")
    } next: {
      try await iterator.next().map { lines($0).joined(separator: "\n") }
    }
  }

  private static func changes<M: Model>(
    _ name: String, _ store: Store, _ query: Query<M>, line: @escaping @Sendable (M) -> String,
    expected: @escaping (ExpiryWorld, Double) -> [M]
  ) throws -> ExpiryWatch {
    let changes = store.changes(query)
    let texts = LiveResults<String>(store: store) { try changes.results.read($0).map(line).joined(separator: "\n") }
    var iterator = changes.makeAsyncIterator()
    var rows: [M] = []
    return ExpiryWatch(try LiveProbe(name, texts)) { world, now in
      expected(world, now).map(line).joined(separator: "\n")
    } next: {
      guard let change = try await iterator.next() else { return nil }
      rows = change.applying(to: rows)
      return rows.map(line).joined(separator: "\n")
    }
  }
}

/// Collections that load pages of rows that expire.
struct ExpiryPages {
  private let permits: Results<ExpiryPermit>
  private let gates: Results<ExpiryGate>
  private let tickets: Results<ExpiryTicket>
  private let papers: DocumentResults<Document>

  init(_ store: Store) async throws {
    permits = try await store.results(ExpiryPermit.all.sorted(by: \.level, order: .reverse).sorted(by: \.id))
    gates = try await store.results(ExpiryGate.all.including(\.permits, then: \.tickets).sorted(by: \.id))
    tickets = try await store.results(ExpiryTicket.all.including(\.permit).including(\.spare).sorted(by: \.id))
    papers = try await store.documents("papers").results(sort: "key")
  }

  /// Returns what is wrong; nil if each element is what the world has.
  func check(_ world: ExpiryWorld, at now: Double) -> String? {
    let gatesByID = Dictionary(
      uniqueKeysWithValues: world.gatesWithPermits(at: now).map { ($0.id, $0.lineWithPermits) })
    let tickets = Dictionary(uniqueKeysWithValues: world.tickets(at: now).map { ($0.id, world.loaded($0, at: now)) })
    let papersByKey = Dictionary(uniqueKeysWithValues: world.papers(at: now).map { ($0.key, $0.number) })
    return difference("permits", permits.keys, permits.map { $0?.line }) { world.permit($0, at: now)?.line }
      ?? difference("gates", gates.keys, gates.map { $0?.lineWithPermits }) { gatesByID[$0] }
      ?? difference("tickets", self.tickets.keys, self.tickets.map { $0?.lineWithPermits }) {
        tickets[$0]?.lineWithPermits
      }
      ?? difference("papers", papers.keys, papers.map { $0?["n"]?.integer }) { papersByKey[$0].map(Int64.init) }
  }

  private func difference<Key, Element: Equatable>(
    _ name: String, _ keys: [Key], _ elements: [Element?], _ expected: (Key) -> Element?
  ) -> String? {
    for (key, element) in zip(keys, elements) where element != expected(key) {
      return
        "the page of \(name) has \(element.map { "\($0)" } ?? "nothing") for \(key) instead of \(expected(key).map { "\($0)" } ?? "nothing")"
    }
    return nil
  }
}
