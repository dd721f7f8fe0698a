import Foundation
import Larder

/// Raw C, Larder and GRDB's associations on the same accounts and costs, each with a file of its own that Larder made.
struct RelationshipBenchmark {
  static let names: [ContenderName] = [.rawC, .larder, .grdbCodable]

  private let cases: [RelationshipCase]
  private let contenders: [(name: ContenderName, contender: any RelationshipContender, maintenance: RawConnection)]

  /// The accounts whose balances are read: of 10, 1000 and 100,000 costs.
  private static let sizes: [RelationshipCase: (account: Int, costs: Int)] = [
    .derived10: (5001, 10), .derived1000: (5002, 1000), .derived100000: (5003, 100_000),
  ]

  init(_ cases: [RelationshipCase], _ contenders: [ContenderName], in folder: URL) async throws {
    self.cases = cases
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let template = folder.appending(path: "books.db")
    try await Self.makeTemplate(template)
    try RawConnection(path: template.path).emptyLog()
    let newCosts = (0..<Books.insertionCount).map { number in
      RawCost(
        id: Books.firstNewKey + number, amount: number % 1000, day: Double(number), note: "cost \(number)",
        account: number % Books.accountCount + 1)
    }
    self.contenders = try Self.names.filter(contenders.contains).map { name in
      let file = folder.appending(path: "books-\(name.rawValue).db")
      try FileManager.default.copyItem(at: template, to: file)
      let contender: any RelationshipContender =
        switch name {
        case .rawC: try RelationshipRawC(path: file.path, newCosts: newCosts)
        case .larder: try RelationshipLarder(path: file.path, newCosts: newCosts)
        default: try RelationshipGRDB(path: file.path, newCosts: newCosts)
        }
      return (name, contender, try RawConnection(path: file.path))
    }
  }

  private static func makeTemplate(_ file: URL) async throws {
    let store = try Store(at: file, for: PlainAccount.self, KeptAccount.self)
    try await store.write { db in
      for account in 1...Books.accountCount {
        try db.insert(PlainAccount(id: account, name: "account \(account)"))
        try db.insert(KeptAccount(id: account, name: "account \(account)"))
      }
      for (account, _) in sizes.values { try db.insert(KeptAccount(id: account, name: "account \(account)")) }
      var key = 0
      var plain: [PlainCost] = []
      var kept: [KeptCost] = []
      // As they come about: not one account's after another's.
      for number in 0..<Books.costCount {
        for account in 1...Books.accountCount {
          key += 1
          let day = Date(timeIntervalSinceReferenceDate: Double(number))
          plain.append(PlainCost(id: key, amount: key % 997, day: day, note: "cost \(key)", account: ToOne(account)))
          kept.append(KeptCost(id: key, amount: key % 997, day: day, note: "cost \(key)", account: ToOne(account)))
        }
      }
      for (account, count) in sizes.values {
        for _ in 0..<count {
          key += 1
          kept.append(KeptCost(id: key, amount: key % 997, day: .now, note: nil, account: ToOne(account)))
        }
      }
      try db.insert(plain)
      try db.insert(kept)
    }
  }

  /// Does everything once, unmeasured; all contenders must come to the same result.
  func verify() async throws {
    for benchmark in cases {
      var expected: Int?
      for (name, contender, maintenance) in contenders {
        if benchmark == .contextSave { try await contender.prepareContext() }
        let result = try await perform(benchmark, contender)
        try restore(benchmark, maintenance)
        if let expected, expected != result {
          throw Disagreement(
            description:
              "\(name.rawValue) disagrees with rawC in \(benchmark.rawValue): \(result) instead of \(expected)")
        }
        expected = result
      }
    }
  }

  /// Measures; contenders take turns within each round. Raw C and Larder follow each other, and GRDB, which is several
  /// times slower, has every third turn.
  func measure(rounds: Int) async throws -> [RelationshipCase: [ContenderName: Sample]] {
    var samples: [RelationshipCase: [ContenderName: Sample]] = [:]
    for round in 0..<rounds {
      for benchmark in cases {
        for (name, contender, maintenance) in round.isMultiple(of: 2) ? contenders : contenders.reversed() {
          guard name != .grdbCodable || round.isMultiple(of: 3) else { continue }
          if benchmark == .contextSave { try await contender.prepareContext() }
          let start = Measurement.sinceSomeStart()
          blackHole(try await perform(benchmark, contender))
          samples[benchmark, default: [:]][name, default: Sample()].append(Measurement.sinceSomeStart() - start)
          try restore(benchmark, maintenance)
        }
      }
    }
    return samples
  }

  private func perform(_ benchmark: RelationshipCase, _ contender: any RelationshipContender) async throws -> Int {
    switch benchmark {
    case .loadChildren: return try await contender.loadChildren()
    case .sumByQuery: return try await contender.sumByQuery()
    case .sumDerived: return try await contender.sumDerived()
    case .derived10, .derived1000, .derived100000:
      return try await contender.readBalance(of: Self.sizes[benchmark]?.account ?? 0)
    case .insertChildren:
      try await contender.insertCosts()
      return Books.insertionCount
    case .insertDerived:
      try await contender.insertKeptCosts()
      return Books.insertionCount
    case .saveAll:
      try await contender.saveCosts()
      return Books.savedCount
    case .contextSave:
      try await contender.saveContext()
      return Books.savedCount
    }
  }

  /// Takes new costs away again, in the same way for everybody.
  private func restore(_ benchmark: RelationshipCase, _ maintenance: RawConnection) throws {
    switch benchmark {
    case .insertChildren, .saveAll, .contextSave:
      try maintenance.execute("DELETE FROM PlainCost WHERE id >= \(Books.firstNewKey)")
    case .insertDerived: try maintenance.execute("DELETE FROM KeptCost WHERE id >= \(Books.firstNewKey)")
    default: return
    }
    try maintenance.emptyLog()
  }
}
