import Foundation

/// All participants of a run, and the order in which they have their turns.
struct Benchmark {
  private let cases: [BenchmarkCase]
  private let participants: [BenchmarkCase: [ContenderName: any AnyParticipant]]

  /// Gives every contender a file for every case.
  init(
    _ cases: [BenchmarkCase], _ contenders: [ContenderName], on workload: Workload, from template: OrdersTemplate
  ) throws {
    self.cases = cases
    var participants: [BenchmarkCase: [ContenderName: any AnyParticipant]] = [:]
    for benchmark in cases {
      for name in contenders {
        let path = try template.copy(for: benchmark, name)
        participants[benchmark, default: [:]][name] = try name.participant(in: benchmark, on: workload, path: path)
      }
    }
    self.participants = participants
  }

  /// The warm-up round: every participant does its work once, unmeasured, and must come to the same result as raw C.
  ///
  /// - Throws: `Disagreement`, or what a contender throws.
  func verify() async throws {
    for benchmark in cases {
      var expected: [Order]?
      for name in ContenderName.allCases {
        guard let participant = participants[benchmark]?[name] else { continue }
        let orders = try await participant.outcome()
        try participant.restore()
        if let expected {
          try Disagreement.check(orders, of: participant, against: expected)
        } else {
          expected = orders
        }
      }
    }
  }

  /// Measures.
  ///
  /// Within one repetition all cases, and within each case all contenders, have their turns: a disturbance of some
  /// seconds meets everybody.
  ///
  /// - Parameter progress: called before each repetition with its number, from 1.
  func measure(repetitions: Int, progress: (Int) -> Void) async throws -> [BenchmarkCase: [ContenderName: Sample]] {
    var samples: [BenchmarkCase: [ContenderName: Sample]] = [:]
    for repetition in 1...repetitions {
      progress(repetition)
      for benchmark in cases {
        for round in 0..<benchmark.rounds {
          for name in Self.order(inRound: round, of: repetition) {
            guard let participant = participants[benchmark]?[name] else { continue }
            let measurement = try await participant.perform()
            try participant.restore()
            samples[benchmark, default: [:]][name, default: Sample()].append(measurement)
          }
        }
      }
    }
    return samples
  }

  /// Who follows whom.
  ///
  /// Caches and heap are as the one before left them. So raw C and Larder change places from round to round: across two
  /// rounds each comes as often after the other and after itself as the other does. Only the first round has the GRDB
  /// records, because they are several times slower and it is the ratio of the other two that has to be exact. The first
  /// turn of each is beside the first of the other, the second beside the second: `Sample.ratio` divides them.
  private static func order(inRound round: Int, of repetition: Int) -> [ContenderName] {
    let isEven = (repetition + round).isMultiple(of: 2)
    let (one, other): (ContenderName, ContenderName) = isEven ? (.rawC, .larder) : (.larder, .rawC)
    return [one, other, other, one] + (round == 0 ? [.grdbManual, .grdbCodable] : [])
  }
}

/// A contender whose result is not that of raw C.
struct Disagreement: Error, CustomStringConvertible {
  let description: String

  static func check(_ orders: [Order], of participant: any AnyParticipant, against expected: [Order]) throws {
    let subject = "\(participant.name.rawValue) disagrees with rawC in \(participant.benchmark.rawValue)"
    guard !expected.isEmpty else {
      throw Disagreement(description: "\(participant.benchmark.rawValue) has no result to compare")
    }
    guard orders.count == expected.count else {
      throw Disagreement(description: "\(subject): \(orders.count) orders instead of \(expected.count)")
    }
    for (order, expected) in zip(orders, expected) where order != expected {
      throw Disagreement(description: "\(subject): \(order) instead of \(expected)")
    }
  }
}
