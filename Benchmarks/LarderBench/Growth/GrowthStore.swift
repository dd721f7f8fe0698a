import Foundation
import Larder
import LarderRandom

/// A store with so many rows of each kind, and the measurements on it.
final class GrowthStore {
  private let count: Int
  private let path: String
  private var store: Store
  private var generator = SplitMix64(seed: 5)
  private(set) var figures: [GrowthFigure: Double] = [:]

  private static let batch = 10_000
  private static let page = 50
  private static let pending = 100

  init(count: Int, path: String) throws {
    self.count = count
    self.path = path
    store = try Self.open(path)
  }

  private static func open(_ path: String) throws -> Store {
    try Store(at: path, for: GrowingAccount.self, GrowingPayment.self, GrowingTask.self, GrowingLetter.self)
  }

  private var accountCount: Int { max(1, count / GrowingAccount.paymentCount) }
  private var people: Documents<GrowingPerson> { store.documents("people", of: GrowingPerson.self) }

  /// Fills the store and measures everything on it.
  func measure() async throws {
    try await fill()
    try await read()
    try await search()
    try await useContext()
    try await write()
    try await observe()
    try await copyAndOpen()
    figures[.memory] = Double(PeakMemory.residentPeak) / 1e6
  }

  // MARK: Filling

  private func fill() async throws {
    for start in stride(from: 0, to: accountCount, by: Self.batch) {
      let ids = start..<min(start + Self.batch, accountCount)
      try await store.insert(ids.map { GrowingAccount(id: $0, name: "Account \($0)") })
    }
    figures[.insert] = try await fill { ids, generator in
      ids.map { GrowingTask(id: $0, title: "Task number \($0)", isDone: Bool.random(using: &generator)) }
    } insert: { [store] in
      try await store.insert($0)
    }
    _ = try await fill { [count] ids, generator in
      ids.map { GrowingPayment.random($0, of: count, using: &generator) }
    } insert: { [store] in
      try await store.insert($0)
    }
    figures[.insertLetter] = try await fill { [count] ids, generator in
      ids.map { GrowingLetter.random($0, of: count, using: &generator) }
    } insert: { [store] in
      try await store.insert($0)
    }
    figures[.insertDocument] = try await fill { ids, generator in
      ids.map { id in
        let age = Int.random(in: 1...99, using: &generator)
        return ("person-\(id)", GrowingPerson(name: "Person \(id)", age: age, city: "City \(id % 50)"))
      }
    } insert: { [people] in
      try await people.save(keyed: $0)
    }
  }

  /// Inserts as many rows as there should be.
  ///
  /// - Returns: The microseconds for each of the last tenth, when the table has nearly its size.
  private func fill<Row>(
    _ make: (Range<Int>, inout SplitMix64) -> [Row], insert: ([Row]) async throws -> Void
  ) async throws -> Double {
    var (seconds, measured) = (0.0, 0)
    for start in stride(from: 0, to: count, by: Self.batch) {
      let ids = start..<min(start + Self.batch, count)
      let rows = make(ids, &generator)
      let time = try await liveTimes(1) { _ in try await insert(rows) }
      guard ids.upperBound > count - max(Self.batch, count / 10) else { continue }
      seconds += time.reduce(0, +)
      measured += ids.count
    }
    return seconds / Double(measured) * 1e6
  }

  // MARK: Reading

  private func read() async throws {
    let db = store.blocking
    try await time(.find, 20_000) { number in
      blackHole(try db.find(GrowingTask.self, number))
    }
    let byDay = GrowingPayment.all.sorted(by: \.day, order: .reverse).limit(Self.page)
    try await time(.newestPage, 1000) { _ in blackHole(try db.fetch(byDay)) }
    try await time(.deepPage, 1000) { number in
      guard let row = try db.find(GrowingPayment.self, number) else { return }
      blackHole(try db.fetch(byDay.after(row)))
    }
    let categories = max(1, count / GrowingPayment.categorySize)
    try await time(.indexedPage, 1000) { number in
      let category = number % categories
      blackHole(
        try db.fetch(GrowingPayment.where { $0.category == category }.sorted(by: \.day).limit(Self.page)))
    }
    try await time(.count, 3, scale: 1e6 / Double(count)) { _ in blackHole(try db.count(GrowingTask.all)) }
    try await time(.findDocument, 5000) { number in
      blackHole(try await self.people.find("person-\(number)"))
    }
  }

  private func search() async throws {
    try await time(.search, 500) { _ in
      let letters = try await self.store.fetch(GrowingLetter.search(typed: GrowingLetter.word))
      precondition(letters.count >= GrowingLetter.hits, "The search finds \(letters.count) rows.")
    }
  }

  // MARK: Writing

  private func useContext() async throws {
    var saves: [Double] = []
    for round in 0..<10 {
      let context = Context(store)
      for _ in 0..<Self.pending {
        guard var task = try context.find(GrowingTask.self, randomKey()) else { continue }
        task.title = "Changed in round \(round)"
        context.update(task)
      }
      let isDone = round.isMultiple(of: 2)
      if round == 0 {
        try await time(.contextPage, 200) { number in
          blackHole(
            try context.fetch(
              GrowingTask.where { $0.id >= number && $0.isDone == isDone }.sorted(by: \.id).limit(Self.page)))
        }
      }
      saves += try await liveTimes(1) { _ in try context.save() }
    }
    figures[.contextSave] = saves.median * 1e6
  }

  private func write() async throws {
    try await time(.save, 2000) { number in
      try await self.store.save(GrowingTask(id: number, title: "Saved alone"))
    }
    var new = count
    let accountCount = accountCount
    try await time(.saveChild, 2000) { number in
      new += 1
      var numbers = SplitMix64(seed: UInt64(number))
      var payment = GrowingPayment.random(new, of: self.count, using: &numbers)
      payment.account = ToOne(number % accountCount)
      try await self.store.save(payment)
    }
    // Each account is deleted once.
    var accounts = Array((0..<accountCount).shuffled(using: &generator).prefix(50))
    try await time(.deleteCascade, accounts.count) { _ in
      guard let account = accounts.popLast() else { return }
      _ = try await self.store.delete(GrowingAccount.self, account)
    }
  }

  /// Saves a row whose table 1,000 observers read by key, and waits until each has the result of its query.
  private func observe() async throws {
    let store = store
    let keys = Array((0..<count).shuffled(using: &generator).prefix(1000))
    let (results, continuation) = AsyncStream.makeStream(of: Void.self)
    let observers = keys.map { key in
      Task { for try await _ in store.live(GrowingTask.where { $0.id == key }) { continuation.yield() } }
    }
    var iterator = results.makeAsyncIterator()
    func waitForAll() async { for _ in keys { await iterator.next() } }
    await waitForAll()
    let times = try await liveTimes(20) { version in
      try await store.save(GrowingTask(id: keys[0], title: "Version \(version)"))
      await waitForAll()
    }
    figures[.saveObserved] = times.median * 1e6 / Double(keys.count)
    for observer in observers { observer.cancel() }
    for observer in observers { try? await observer.value }
  }

  // MARK: The whole file

  private func copyAndOpen() async throws {
    let copy = path + ".copy"
    try await time(.backup, 1, scale: 1e6 / Double(count)) { _ in try await self.store.backup(to: copy) }
    try FileManager.default.removeItem(atPath: copy)
    var opens: [Double] = []
    for _ in 0..<5 {
      await store.close()
      opens += try await liveTimes(1) { _ in
        store = try Self.open(path)
        blackHole(try store.blocking.find(GrowingTask.self, 0))
      }
    }
    figures[.open] = opens.median * 1e3
    await store.close()
  }

  // MARK: Measuring

  private func randomKey() -> Int { Int.random(in: 0..<count, using: &generator) }

  /// Records the mean time of a call with random keys. What a tenth of the calls does first isn't measured.
  private func time(
    _ figure: GrowthFigure, _ calls: Int, scale: Double = 1, _ body: (Int) async throws -> Void
  ) async throws {
    if calls > 100 { for _ in 0..<calls / 10 { try await body(randomKey()) } }
    let keys = (0..<calls).map { _ in randomKey() }
    let start = ContinuousClock.now
    for key in keys { try await body(key) }
    let seconds = start.duration(to: .now) / .seconds(1)
    figures[figure] = seconds / Double(calls) * scale * (figure.unit == .milliseconds ? 1e3 : 1e6)
  }
}
