import Foundation
import Larder
import LarderSync

/// One run of a simulation.
struct SimulationRun {
  private let simulation: SyncSimulation
  private let folder: TemporaryFolder
  private var random: SplitMix64
  private var replicas: [SimulatedReplica] = []
  private(set) var stepCount = 0
  private let key = GroupKey()

  init(_ simulation: SyncSimulation, seed: UInt64, in parent: URL) throws {
    self.simulation = simulation
    folder = try TemporaryFolder(in: parent)
    random = SplitMix64(seed: seed)
    for number in 0..<simulation.replicas {
      replicas.append(try SimulatedReplica(at: folder.file("\(number).larder"), for: simulation.models))
    }
  }

  var stores: [Store] { replicas.map(\.store) }

  mutating func step() async throws {
    stepCount += 1
    let place = Int.random(in: replicas.indices, using: &random)
    switch Int.random(in: 0..<12, using: &random) {
    case 0..<7:
      for _ in 0..<Int.random(in: 1...4, using: &random) { try await write(to: place) }
    case 7: try await replicas[place].advanceClock(by: Int64.random(in: 0..<100_000, using: &random))
    case 8: try await replicas[place].reopen(simulation.models)
    default:
      let other = Int.random(in: replicas.indices, using: &random)
      if other != place { try await meet(replicas[place].store, replicas[other].store) }
    }
  }

  /// Writes once. What a rule of the models refuses, the user doesn't do.
  private mutating func write(to place: Int) async throws {
    do {
      try await simulation.write(replicas[place].store, &random)
    } catch let error as StoreError where Self.refusals.contains(error.code) {}
    try await replicas[place].acknowledge()
  }

  private static let refusals: Set<StoreError.Code> = [.referenced, .duplicate, .notFound, .constraint, .conflict]

  // MARK: Exchanges

  private mutating func meet(_ sender: Store, _ recipient: Store) async throws {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: try await sender.sync.exchange(with: recipient.sync)
    case 1: try await sendFile(sender, recipient)
    case 2: try await breakOff(sender, recipient)
    default: try await sendBatches(sender, recipient)
    }
  }

  /// Hands over a file, which may be damaged.
  private mutating func sendFile(_ sender: Store, _ recipient: Store) async throws {
    let url = folder.file("changes")
    let isSealed = Bool.random(using: &random)
    let target = Bool.random(using: &random) ? try await recipient.sync.replica() : nil
    try await sender.sync.export(to: url, for: target, key: isSealed ? key : nil)
    if Int.random(in: 0..<4, using: &random) == 0 {
      var bytes = try Data(contentsOf: url)
      damage(&bytes)
      try bytes.write(to: url)
    }
    do {
      try await recipient.sync.import(from: url, keys: isSealed ? [key] : [])
    } catch is BatchError {}
  }

  /// Changes a bit, or cuts.
  private mutating func damage(_ bytes: inout Data) {
    let place = Int.random(in: bytes.indices, using: &random)
    if Bool.random(using: &random) {
      bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    } else {
      bytes = bytes.prefix(place)
    }
  }

  /// Begins an exchange, and gives it up after some calls.
  private mutating func breakOff(_ sender: Store, _ recipient: Store) async throws {
    let peer = BreakingPeer(recipient.sync, calls: Int.random(in: 0..<6, using: &random))
    do {
      try await sender.sync.exchange(with: peer)
    } catch is BreakingPeer.Failure {}
  }

  /// Sends batches as bytes, which are lost, repeated, reordered and damaged.
  private mutating func sendBatches(_ sender: Store, _ recipient: Store) async throws {
    let target = try await recipient.sync.replica()
    var cursor = try await recipient.sync.cursor(of: try await sender.sync.replica())
    var messages: [Data] = []
    while true {
      let limit = Int.random(in: 1...20, using: &random)
      let batch = try await sender.sync.changes(after: cursor, for: target, limit: limit)
      messages.append(try batch.encoded(key: key))
      if batch.isLast { break }
      cursor = batch.upTo
    }
    switch Int.random(in: 0..<5, using: &random) {
    case 0: messages.removeLast()
    case 1: messages += messages
    case 2: messages.shuffle(using: &random)
    case 3: damage(&messages[Int.random(in: messages.indices, using: &random)])
    default: break
    }
    for message in messages {
      do {
        try await recipient.sync.apply(try ChangeBatch(decoding: message, keys: [key]))
      } catch is BatchError {}
    }
  }

  /// Exchanges until nobody has anything new.
  mutating func quiesce() async throws {
    for _ in 0..<10 {
      var isSilent = true
      for (place, replica) in replicas.enumerated() {
        for other in replicas[(place + 1)...] {
          let report = try await replica.store.sync.exchange(with: other.store.sync)
          if report.received > 0 || report.sent > 0 { isSilent = false }
        }
      }
      if isSilent { return }
    }
    throw SimulationProblem("the replicas still have something to exchange after ten rounds")
  }

  // MARK: The end

  func check() async throws {
    let expected = try await replicas[0].tables()
    let changes = try await replicas[0].changes()
    for (place, replica) in replicas.enumerated() {
      let tables = try await replica.tables()
      for (name, rows) in expected where tables[name] != rows {
        throw SimulationProblem(
          "replica \(place) and replica 0 hold different rows of \(name): \(tables[name] ?? []), and \(rows)")
      }
      let known = try await replica.changes()
      if let name = Set(known.keys).union(changes.keys).first(where: { known[$0] != changes[$0] }) {
        let (here, there) = (known[name].map { "\($0)" } ?? "nothing", changes[name].map { "\($0)" } ?? "nothing")
        throw SimulationProblem(
          "replica \(place) and replica 0 know different changes of \(name): \(here), and \(there)")
      }
      let report = try await replica.store.check()
      if !report.isHealthy { throw SimulationProblem("replica \(place) breaks a rule: \(report.findings)") }
      try replica.checkAcknowledged(in: changes)
    }
  }
}

/// What a simulation has found.
struct SimulationProblem: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
