import Foundation
import Larder
import LarderSync

extension SimulationRun {
  /// Exchanges until nobody has anything new.
  mutating func quiesce() async throws {
    try await prepareEnd()
    // What has waited for its time is merged when something comes, and handed on with the exchange after that.
    var silentRounds = 0
    for _ in 0..<12 {
      var isSilent = true
      for (place, replica) in replicas.enumerated() {
        for other in replicas[(place + 1)...] {
          let report = try await replica.store.sync.exchange(with: other.store.sync)
          if report.received > 0 || report.sent > 0 || report.startedAfresh { isSilent = false }
          if report.peerMustStartAfresh {
            try await other.store.sync.exchange(with: replica.store.sync)
            isSilent = false
          }
        }
      }
      silentRounds = isSilent ? silentRounds + 1 : 0
      if silentRounds == 2 {
        for place in replicas.indices { try await takeUp(place) }
        look(after: "the last exchanges")
        return
      }
    }
    throw SimulationProblem("the replicas still have something to exchange after twelve rounds")
  }

  func check() async throws {
    // Longer than the rest takes.
    let date = Date.now + 3600
    let expected = try await replicas[0].tables(expiringAfter: date)
    let states = replicas[0].states
    for (place, replica) in replicas.enumerated() {
      let tables = try await replica.tables(expiringAfter: date)
      for name in Set(expected.keys).union(tables.keys).sorted() where tables[name] != expected[name] {
        throw SimulationProblem(
          "replica \(place) and replica 0 hold different rows of \(name): \(tables[name] ?? []), and \(expected[name] ?? [])"
        )
      }
      for name in Set(replica.states.keys).union(states.keys) {
        let (here, there) = (replica.states[name], states[name])
        if here == there { continue }
        // Who has forgotten a deletion has forgotten the rows that went with it as well.
        if hazards.hasForgotten, here == nil || there == nil {
          if try await !(here == nil ? replicas[0] : replica).shows(name) { continue }
        }
        throw SimulationProblem(
          "replica \(place) and replica 0 know different changes of \(name): \(here.map { "\($0)" } ?? "nothing"), and \(there.map { "\($0)" } ?? "nothing")"
        )
      }
      let report = try await replica.store.check()
      if !report.isHealthy { throw SimulationProblem("replica \(place) breaks a rule: \(report.findings)") }
      let untracked = try await replica.store.sync.untrackedChanges()
      if !untracked.isEmpty { throw SimulationProblem("replica \(place) has not recorded changes: \(untracked)") }
      if try await !replica.store.sync.waiting().isEmpty {
        throw SimulationProblem("changes wait at replica \(place), although its clock is ahead of all")
      }
      try await replica.checkVisibility()
      if !hazards.hasRenamed { try await replica.checkSetAside(writes) }
    }
    if let write = writes.missing(in: known) {
      throw SimulationProblem(
        "the value of \(write.property) of \(write.row) that was written with \(write.stamp) is gone without a trace")
    }
  }

  /// The rows that any replica knows; those that one has forgotten are known to another.
  private var known: [RowName: RowState] {
    replicas.reduce(into: [:]) { known, replica in known.merge(replica.states) { old, _ in old } }
  }
}
