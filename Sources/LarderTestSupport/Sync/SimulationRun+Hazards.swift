import Foundation
import Larder
import LarderSync

extension SimulationRun {
  private mutating func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &hazards.random) }

  mutating func meet(_ hazard: Hazards.Hazard) async throws {
    let place = number(below: replicas.count)
    let sync = replicas[place].store.sync
    switch hazard {
    case .kills: try await kill(place)
    case .clocks: try await replicas[place].advanceClock(by: Int64(1 + number(below: 400)) * 24 * 60 * 60 * 1000)
    case .retention:
      hazards.hasForgotten = true
      try await sync.setRetention(.zero)
      try await sync.forgetDeletions()
      try await replicas[place].readAnew()
    case .copies: try await copy(place)
    case .switching:
      try await sync.disable()
      try await sync.enable()
      try await becomeAnother(place)
    case .collections:
      let collections = try await collections()
      if collections.isEmpty { break }
      let collection = collections[number(below: collections.count)]
      try await setSyncs(try await !sync.syncs(collection: collection), collection, place)
    case .earlierApp: try await update(place)
    }
    look(after: "\(hazard) at \(place)")
  }

  /// Takes up what an exchange has brought. A file can find that it is a copy only then.
  mutating func takeUp(_ place: Int) async throws {
    if try await replicas[place].isAnother() {
      try await becomeAnother(place)
    } else {
      try await replicas[place].takeUp()
    }
  }

  /// Begins an exchange that doesn't end, and kills a process of it.
  private mutating func kill(_ place: Int) async throws {
    let other = number(below: replicas.count)
    if other != place {
      let peer = BreakingPeer(replicas[other].store.sync, calls: number(below: 9), cancels: number(below: 2) == 0)
      let sync = replicas[place].store.sync
      let task = Task { try await sync.exchange(with: peer) }
      switch await task.result {
      case .failure(let error) where !(error is BreakingPeer.Failure || error is CancellationError): throw error
      case .success, .failure: break
      }
    }
    for place in [place, other] {
      if number(below: 3) > 0 { try await replicas[place].crash() }
      try await takeUp(place)
    }
  }

  /// Makes another replica of a copy, or puts the copy in the place of the file, as from a backup.
  private mutating func copy(_ place: Int) async throws {
    let url = folder.file("copy \(stepCount).larder")
    try await replicas[place].store.backup(to: url)
    let copy = try await SimulatedReplica(at: url, as: replicas[place])
    let isFirst = replicas.count == simulation.replicas
    if isFirst, number(below: 2) == 0 {
      replicas.append(copy)
      try await becomeAnother(replicas.count - 1)
    } else {
      await replicas[place].store.close()
      replicas[place] = copy
      try await becomeAnother(place)
    }
  }

  /// The collections of documents that any replica has.
  private func collections() async throws -> [String] {
    var names: Set<String> = []
    for replica in replicas { names.formUnion(try await replica.store.documentCollections) }
    return names.sorted()
  }

  private mutating func setSyncs(_ syncs: Bool, _ collection: String, _ place: Int) async throws {
    let table = OracleTable.name(ofCollection: collection)
    if !syncs {
      for (name, state) in replicas[place].states where name.table == table { replicas[place].left[name] = state }
    }
    try await replicas[place].store.sync.setSyncs(syncs, collection: collection)
    hazards.hasRenamed = true
    try await becomeAnother(place)
    guard syncs else { return }
    // Nobody has heard of what was written meanwhile, over what was there when it left.
    for (name, state) in replicas[place].states where name.table == table {
      if let old = replicas[place].left.removeValue(forKey: name), old != state { writes.record(state, replacing: old) }
    }
  }

  /// Takes up that a file has other stamps than before, or has forgotten what it knew.
  private mutating func becomeAnother(_ place: Int) async throws {
    hazards.hasRenamed = true
    let former = replicas[place].states
    try await replicas[place].readAnew()
    let others = replicas.indices.filter { $0 != place }.map { replicas[$0].states }
    for (name, state) in former where replicas[place].states[name] != state {
      writes.rename(state, replicas[place].states[name]) { write in
        others.contains { WrittenValues.has($0[name], write) }
      }
    }
  }

  private mutating func update(_ place: Int) async throws {
    guard replicas[place].app.isEarlier else { return }
    try await replicas[place].reopen(running: simulation.app)
    try await takeUp(place)
    // Rows have properties now whose defaults are no changes.
    try await replicas[place].readAnew()
  }

  /// Updates all apps, lets all collections take part, and sets all clocks to the time of the latest.
  mutating func prepareEnd() async throws {
    for place in replicas.indices {
      if hazards.has(.earlierApp) { try await update(place) }
      guard hazards.has(.collections) else { continue }
      for collection in try await collections() {
        if try await replicas[place].store.sync.syncs(collection: collection) { continue }
        try await setSyncs(true, collection, place)
      }
    }
    guard hazards.has(.clocks) else { return }
    var latest: Int64 = 0
    for replica in replicas {
      latest = max(latest, try await replica.clock())
      // Who has sent it may be a copy from before by now.
      for row in try await replica.store.sql("SELECT max(time) AS time FROM _larder_sync_waiting") {
        latest = max(latest, row["time"]?.integer ?? 0)
      }
    }
    for replica in replicas { try await replica.setClock(latest) }
  }
}
