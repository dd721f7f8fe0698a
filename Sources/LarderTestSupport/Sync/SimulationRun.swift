import Foundation
import Larder
import LarderSync

/// One run of a simulation.
struct SimulationRun {
  let simulation: SyncSimulation
  let folder: TemporaryFolder
  var random: SplitMix64
  var replicas: [SimulatedReplica] = []
  var writes = WrittenValues()
  private(set) var stepCount = 0
  var hazards: Hazards
  let key = GroupKey()
  /// The tables of the present app.
  private var oracle = VisibilityOracle([])
  private var watched: WatchedRow?

  init(_ simulation: SyncSimulation, seed: UInt64, in parent: URL) throws {
    self.simulation = simulation
    folder = try TemporaryFolder(in: parent)
    random = SplitMix64(seed: seed)
    hazards = Hazards(seed: seed)
    watched = simulation.watched.map(WatchedRow.init)
  }

  /// Prints what has become of the watched row.
  mutating func look(after event: @autoclosure () -> String) {
    watched?.look(at: replicas, after: "step \(stepCount), \(event())")
  }

  var stores: [Store] { replicas.map(\.store) }

  mutating func begin() async throws {
    for number in 0..<simulation.replicas {
      let earlier = number == 0 && hazards.has(.earlierApp) ? simulation.earlierApp : nil
      let url = folder.file("\(number).larder")
      replicas.append(try await SimulatedReplica(at: url, running: earlier ?? simulation.app))
    }
    // At most the first of them runs an earlier app.
    oracle = VisibilityOracle(try await OracleTable.all(of: replicas[simulation.replicas - 1].store))
  }

  mutating func step() async throws {
    stepCount += 1
    if let hazard = hazards.next() { try await meet(hazard) }
    let place = Int.random(in: replicas.indices, using: &random)
    switch Int.random(in: 0..<12, using: &random) {
    case 0..<7:
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        try await write(to: place)
        look(after: "write to \(place)")
      }
    case 7: try await replicas[place].advanceClock(by: Int64.random(in: 0..<100_000, using: &random))
    case 8: try await replicas[place].reopen()
    default:
      let other = Int.random(in: replicas.indices, using: &random)
      if other != place { try await exchange(place, other) }
    }
  }

  /// Writes once. What a rule of the models refuses, the user doesn't do.
  private mutating func write(to place: Int) async throws {
    do {
      try await replicas[place].app.write(replicas[place].store, &random)
    } catch let error as StoreError where Self.refusals.contains(error.code) {}
    try await replicas[place].observe(as: &writes, following: oracle)
  }

  private static let refusals: Set<StoreError.Code> = [
    .referenced, .duplicate, .notFound, .constraint, .conflict, .invalidValue,
  ]

  // MARK: Exchanges

  private mutating func exchange(_ sender: Int, _ recipient: Int) async throws {
    let (one, other) = (replicas[sender].store, replicas[recipient].store)
    let way = Int.random(in: 0..<4, using: &random)
    switch way {
    case 0: try await one.sync.exchange(with: other.sync)
    case 1: try await sendFile(one, other)
    case 2: try await breakOff(one, other)
    default: try await sendBatches(one, other)
    }
    for place in [sender, recipient] { try await takeUp(place) }
    let name = ["exchange", "file", "broken exchange", "batches"][way]
    look(after: "\(name) from \(sender) to \(recipient)")
  }

  /// Hands over a file, which may be damaged.
  private mutating func sendFile(_ sender: Store, _ recipient: Store) async throws {
    let url = folder.file("changes")
    let isSealed = Bool.random(using: &random)
    let target = Bool.random(using: &random) ? try await recipient.sync.replica() : nil
    do {
      try await sender.sync.export(to: url, for: target, key: isSealed ? key : nil)
    } catch let error as StoreError where error.code == .notFound {
      // The recipient was away for longer than the sender keeps deletions.
      try await recipient.sync.exchange(with: sender.sync)
      return
    }
    if Int.random(in: 0..<4, using: &random) == 0 {
      var bytes = try Data(contentsOf: url)
      damage(&bytes)
      try bytes.write(to: url)
    }
    do {
      try await recipient.sync.import(from: url, keys: isSealed ? [key] : [])
    } catch is BatchError {
      // The next export wouldn't replace a file that no longer begins like one with changes.
      try FileManager.default.removeItem(at: url)
    }
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
      } catch is BatchError {
      } catch let error as StoreError where error.code == .notFound {
        // The recipient was away for longer than the sender keeps deletions.
        try await recipient.sync.exchange(with: sender.sync)
        return
      }
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
