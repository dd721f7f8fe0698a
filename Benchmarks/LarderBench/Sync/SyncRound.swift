import Foundation
import Larder
import LarderSync

/// The figures of one round, as ratios.
struct SyncFigures {
  var insert = 0.0
  var update = 0.0
  var export = 0.0
  var `import` = 0.0
  var importSeconds = 0.0
  var size = 0.0
  var growth = 0.0
  var latency = 0.0
  var idle = 0.0
  var sessionInsert: Double?
  var sessionUpdate: Double?
  var sessionExport: Double?
  var sessionImport: Double?
}

/// One measurement of everything.
struct SyncRound {
  let folder: URL
  let orders: [SyncOrder]

  private func open(_ name: String, _ sync: SyncMode = .on) throws -> Store {
    try Store(at: folder.appending(component: name), for: SyncOrder.self, configuration: .init(sync: sync))
  }

  private func seconds(_ body: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    try await body()
    return start.duration(to: .now) / .seconds(1)
  }

  private func size(_ store: Store, _ name: String) async throws -> Double {
    try await store.checkpoint()
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.appending(component: name).path)
    return (attributes[.size] as? NSNumber)?.doubleValue ?? 0
  }

  func run(large: Int) async throws -> SyncFigures {
    var figures = SyncFigures()
    let (plain, tracked) = (try open("plain", .off), try open("tracked"))
    let insert = try await seconds { try await plain.insert(orders) }
    let trackedInsert = try await seconds { try await tracked.insert(orders) }
    figures.insert = trackedInsert / insert
    figures.size = try await size(tracked, "tracked") / size(plain, "plain")
    let url = folder.appending(component: "file")
    let fetch = try await seconds { _ = try await tracked.fetch(SyncOrder.all) }
    figures.export = try await seconds { try await tracked.sync.export(to: url) } / fetch
    let other = try open("other")
    figures.importSeconds = try await seconds { try await other.sync.import(from: url) }
    figures.import = figures.importSeconds / trackedInsert
    let update = try await seconds { try await plain.updateAll(SyncOrder.all) { $0.freight.increment(by: 1) } }
    figures.update =
      try await seconds { try await tracked.updateAll(SyncOrder.all) { $0.freight.increment(by: 1) } } / update
    try measureSession(&figures)
    figures.growth = try await exchange(large, &figures) / exchange(1000, &figures)
    figures.latency = try await latency()
    return figures
  }

  private func measureSession(_ figures: inout SyncFigures) throws {
    guard let session = SessionExtension() else { return }
    let times = try session.measure(orders, in: folder)
    figures.sessionInsert = times.tracked / times.plain
    figures.sessionUpdate = times.trackedUpdate / times.update
    figures.sessionExport = times.changeset / times.plain
    figures.sessionImport = times.apply / times.tracked
  }

  /// The seconds of an exchange of ten changes between two stores with that many rows: the quickest of some.
  private func exchange(_ count: Int, _ figures: inout SyncFigures) async throws -> Double {
    let left = try open("left \(count)")
    for start in stride(from: 0, to: count, by: orders.count) {
      try await left.insert(
        (start..<min(start + orders.count, count)).map { number in
          var order = orders[number % orders.count]
          order.id = .v7()
          return order
        })
    }
    // The copy is a replica of its own, and has everything.
    try await left.backup(to: folder.appending(component: "right \(count)"))
    let copy = try open("right \(count)")
    try await copy.sync.exchange(with: left.sync)
    try await left.sync.exchange(with: copy.sync)
    let changed = try await left.fetch(SyncOrder.all.limit(10)).map(\.id)
    var times: [Double] = []
    for number in 0..<20 {
      for id in changed {
        try await left.updateAll(SyncOrder.where { $0.id == id }) { $0.freight.set(Double(number)) }
      }
      times.append(try await seconds { try await left.sync.exchange(with: copy.sync) })
      for _ in 0..<3 { try await left.sync.exchange(with: copy.sync) }
    }
    figures.idle = try await seconds { for _ in 0..<100 { try await left.sync.exchange(with: copy.sync) } } / 100
    return times.median
  }

  /// The time from a commit to the live result of the other replica, to that of the same replica.
  private func latency() async throws -> Double {
    let (left, right) = (try open("from"), try open("to"))
    try await left.insert(Array(orders.prefix(1000)))
    let first = orders[0].id
    let query = SyncOrder.where { $0.id == first }
    let run = Task { for await _ in left.sync.run(with: right.sync) {} }
    defer { run.cancel() }
    var there = right.live(query).makeAsyncIterator()
    while try await there.next()?.isEmpty != false {}
    var times: (here: [Double], there: [Double]) = ([], [])
    for number in 0..<200 {
      let value = Double(number) + 0.5
      times.there.append(
        try await seconds {
          try await left.updateAll(query) { $0.freight.set(value) }
          while try await there.next()?.first?.freight != value {}
        })
    }
    run.cancel()
    await run.value
    var here = left.live(query).makeAsyncIterator()
    _ = try await here.next()
    for number in 0..<200 {
      let value = Double(number) + 0.25
      times.here.append(
        try await seconds {
          try await left.updateAll(query) { $0.freight.set(value) }
          while try await here.next()?.first?.freight != value {}
        })
    }
    return times.there.median / times.here.median
  }
}
