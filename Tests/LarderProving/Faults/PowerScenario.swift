import Foundation
import Larder

/// Work that power cuts end.
struct PowerScenario: Sendable {
  let name: String
  /// Whether the last acknowledged steps may be missing after a cut, as `.normal` says.
  let maySkipLast: Bool
  /// Makes the files that are on the disk before the work begins.
  var prepare: @Sendable (FaultPlace) async throws -> Void = { _ in }
  /// Does the work, one step after another, and returns the states before the first step and after each. Calls the
  /// closure after each step.
  let work: @Sendable (FaultPlace, _ acknowledge: (Int) -> Void) async throws -> [[String]]
  /// Opens what a cut has left, and returns its state and what is wrong with it.
  let examine: @Sendable (FaultPlace) async throws -> (state: [String], problems: [String])

  static let safe = scenarios(.full) + scenarios(.normal)

  private static func scenarios(_ durability: Store.Configuration.Durability) -> [PowerScenario] {
    [
      PowerScenario("mixed", durability, steps: 24) { number, store in try await mixed(number, store) },
      PowerScenario("creating", durability, creates: true, steps: 6) { number, store in
        try await store.insert(FaultToken(id: number))
      },
      // Enough for several checkpoints.
      PowerScenario("large", durability, steps: 6) { number, store in
        try await store.insert(FaultSample.books((number * 500 + 1000)...(number * 500 + 1299), text: 5000))
      },
    ]
  }

  // MARK: Stores

  private init(
    _ name: String, _ durability: Store.Configuration.Durability, creates: Bool = false, steps: Int,
    _ perform: @escaping @Sendable (Int, Store) async throws -> Void
  ) {
    @Sendable func open(_ place: FaultPlace) throws -> Store {
      try Store(
        at: place.store, for: FaultBook.self, FaultToken.self, FaultProbe.self,
        configuration: Store.Configuration(durability: durability, now: { FaultSample.now }))
    }
    self.name = "\(name)-\(durability)"
    maySkipLast = durability == .normal
    if !creates {
      prepare = { place in
        let store = try open(place)
        try await FaultSample.fill(store)
        // The disk is copied next.
        await store.close()
      }
    }
    work = { place, acknowledge in
      var states: [[String]] = []
      // Closed and opened again halfway, which brings the log back into the file.
      for half in [0..<steps / 2, steps / 2..<steps] {
        let store = try open(place)
        if states.isEmpty { states.append(try FaultInspection.dump(store)) }
        acknowledge(half.lowerBound)
        for number in half {
          try await perform(number, store)
          acknowledge(number + 1)
          states.append(try FaultInspection.dump(store))
        }
        await store.close()
      }
      return states
    }
    examine = { place in
      let store = try open(place)
      let state = try FaultInspection.dump(store)
      var problems = try FaultInspection.check(store)
      try await store.save(FaultProbe(id: 1))
      if try await store.count(FaultProbe.all) != 1 { problems.append("a write after the cut is not found") }
      return (state, problems)
    }
  }

  private static func mixed(_ number: Int, _ store: Store) async throws {
    switch number % 6 {
    case 0: try await store.insert(FaultSample.books((1000 + number)...(1000 + number), text: 3000)[0])
    case 1: try await store.insert(FaultSample.books((2000 + number * 20)...(2019 + number * 20)))
    case 2: try await store.updateAll(FaultBook.all) { $0.pages.increment(by: 1) }
    case 3:
      try await store.documents("people").save(
        "p\(number)", ["name": "Name", "number": .init(integerLiteral: Int64(number))])
    case 4:
      try await store.write { db in
        try db.deleteAll(FaultBook.where { $0.id == number })
        try db.save(FaultShelf(id: 100 + number, name: "Shelf"))
        try db.save(FaultTag(id: "tag \(number)"))
        try db.link(FaultSample.books(12...12)[0], \.tags, FaultTag(id: "tag \(number)"))
      }
    default: try await store.save(FaultToken(id: number), expires: FaultSample.now + 5000)
    }
  }

  // MARK: A loss on purpose

  /// A database that never syncs: cuts must find losses here, or they would find none anywhere.
  static let unsafe = PowerScenario(
    name: "unsafe", maySkipLast: false,
    prepare: { place in
      _ = FileManager.default.createFile(atPath: place.store.path(percentEncoded: false), contents: nil)
      try FaultDatabase(place.store).column("create table t (a integer primary key, b text)")
    },
    work: { place, acknowledge in
      let database = try FaultDatabase(place.store)
      try database.column("pragma synchronous = off")
      var states = [try FaultInspection.dump { try database.column($0) }]
      acknowledge(0)
      for number in 1...10 {
        try database.column("insert into t values (\(number), hex(zeroblob(2000)))")
        acknowledge(number)
        states.append(try FaultInspection.dump { try database.column($0) })
      }
      return states
    },
    examine: { place in
      let database = try FaultDatabase(place.store)
      return (try FaultInspection.dump { try database.column($0) }, [])
    })

  private init(
    name: String, maySkipLast: Bool, prepare: @escaping @Sendable (FaultPlace) async throws -> Void,
    work: @escaping @Sendable (FaultPlace, (Int) -> Void) async throws -> [[String]],
    examine: @escaping @Sendable (FaultPlace) async throws -> (state: [String], problems: [String])
  ) {
    self.name = name
    self.maySkipLast = maySkipLast
    self.prepare = prepare
    self.work = work
    self.examine = examine
  }
}
