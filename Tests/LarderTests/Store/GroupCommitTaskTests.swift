import Foundation
import LarderTestSupport
import Testing

@testable import Larder

/// What a group commit must not mix up: whose task a value is checked and encoded in, and how long each waits.
@Suite(.timeLimit(.minutes(20))) struct GroupCommitTaskTests {
  @TaskLocal static var tenant = -1

  @Test(
    "validate() and encode(to:) run in the task that saves, also where its row shares a transaction with others'",
    arguments: [true, false])
  func tasks(isInMemory: Bool) async throws {
    let folder = try TemporaryFolder()
    let store =
      try isInMemory ? Store(inMemoryFor: TenantOrder.self) : Store(at: folder.file("a.larder"), for: TenantOrder.self)
    for kind in 0..<3 {
      let (begun, lined, arrivals) = (Gate(), Gate(), Barrier(64))
      async let held: Void = store.write { _ in
        begun.open()
        try lined.waitBlocking()
      }
      await begun.wait()
      async let saves: Void = withThrowingTaskGroup(of: Void.self) { group in
        for id in 1...64 {
          group.addTask {
            try await Self.$tenant.withValue(id) {
              arrivals.arrive()
              let order = TenantOrder(id: id, tenant: id)
              switch kind {
              case 0: try await store.insert(order)
              case 1: try await store.save(order)
              default: try await store.update(order)
              }
            }
          }
        }
        try await group.waitForAll()
      }
      await arrivals.wait()
      lined.open()
      try await held
      try await saves
    }
    let orders = try await store.fetch(TenantOrder.all.sorted(by: \.id))
    #expect(orders.map(\.tenant) == Array(1...64))
    #expect(orders.map { $0.origin.map(\.tenant) } == (1...64).map { [$0] })
  }

  /// The name of the current task; nil where the runtime knows none.
  static var taskName: String? {
    #if compiler(>=6.2)
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) { return Task.name }
    #endif
    return nil
  }

  /// Starts a task with a name, where the runtime knows names.
  private static func start(
    _ name: String, _ priority: TaskPriority, _ body: @escaping @Sendable () async throws -> Void
  ) -> Task<Void, any Error> {
    #if compiler(>=6.2)
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      return Task.detached(name: name, priority: priority, operation: body)
    }
    #endif
    return Task.detached(priority: priority, operation: body)
  }

  @Test("validate() and encode(to:) run with the priority and the name of the task that saves, in a group as alone")
  func prioritiesAndNames() async throws {
    let priorities = [TaskPriority.background, .utility, .medium, .high]
    try await withTemporaryStore(for: NamedOrder.self) { store in
      let (begun, lined, arrivals) = (Gate(), Gate(), Barrier(64))
      async let held: Void = store.write { _ in
        begun.open()
        try lined.waitBlocking()
      }
      await begun.wait()
      let saves = (1...64).map { id in
        Self.start("order \(id)", priorities[id % 4]) {
          arrivals.arrive()
          try await store.save(NamedOrder(id: id, expected: TaskTraits()))
        }
      }
      await arrivals.wait()
      lined.open()
      try await held
      for save in saves { try await save.value }
      let orders = try await store.fetch(NamedOrder.all.sorted(by: \.id))
      #expect(orders.map { $0.encoded.map(\.traits) } == orders.map { [$0.expected] })
      #expect(orders.map(\.expected.priority) == (1...64).map { priorities[$0 % 4].rawValue })
      if Self.taskName != nil { #expect(orders.map(\.expected.name) == (1...64).map { "order \($0)" }) }
    }
  }

  @Test("a value that cannot be stored is refused with its property, in a group as alone") func refusals() async throws
  {
    try await withTemporaryStore(for: Parcel.self) { store in
      let (begun, lined, arrivals) = (Gate(), Gate(), Barrier(8))
      async let held: Void = store.write { _ in
        begun.open()
        try lined.waitBlocking()
      }
      await begun.wait()
      let saves = (0..<8).map { id in
        Task {
          arrivals.arrive()
          try await store.insert(Parcel(id: id, weight: id.isMultiple(of: 2) ? .nan : 1))
        }
      }
      await arrivals.wait()
      lined.open()
      try await held
      for (id, save) in saves.enumerated() {
        if id.isMultiple(of: 2) {
          let error = await #expect(throws: StoreError.self) { try await save.value }
          #expect(error?.code == .invalidValue && error?.model == "Parcel" && error?.property == "weight")
        } else {
          try await save.value
        }
      }
      #expect(try await store.count(Parcel.all) == 4)
    }
  }

  @Test("members of a group that falls back to single statements wait for another process as long as everybody does")
  func busy() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("a.larder")
    let store = try Store(at: file, for: Parcel.self, configuration: .init(busyTimeout: .seconds(60)))
    let other = try Store(at: file, for: Parcel.self)
    // A row that makes the transaction of the group fail as a whole, and lets go of the lock while each statement is
    // tried alone.
    try await store.sql(
      "CREATE TRIGGER thirteen BEFORE INSERT ON parcels WHEN new.weight = 13 BEGIN SELECT RAISE(ROLLBACK, 'unlucky'); END"
    )
    for round in 0..<20 {
      let (locked, free) = (Gate(), Gate())
      let arrivals = Barrier(32)
      async let saves = withTaskGroup(of: StoreError.Code?.self) { group in
        for id in 0..<32 {
          group.addTask {
            arrivals.arrive()
            do {
              try await store.insert(Parcel(id: round * 100 + id, weight: id == 7 ? 13 : 1))
              return nil
            } catch {
              return (error as? StoreError)?.code
            }
          }
        }
        return await group.reduce(into: [StoreError.Code?]()) { $0.append($1) }
      }
      async let holding: Void = other.write { _ in
        locked.open()
        try free.waitBlocking()
      }
      await arrivals.wait()
      await locked.wait()
      free.open()
      try await holding
      let codes = await saves
      #expect(!codes.contains(.busy))
      #expect(codes.filter { $0 != nil }.count == 1)
    }
    #expect(try await store.count(Parcel.all) == 20 * 31)
  }

  @Test("a task of low priority never gathers others: it stands in line, and whoever comes next gathers")
  func priorities() {
    var line = WriterLine()
    line.isContended = true
    let isAlone = line.takeAlone()
    #expect(!isAlone)
    var entries = [line.enter(mayLead: false)]
    #expect(!line.isGathering && !line.isHeld)
    entries += [line.enter(mayLead: true), line.enter(mayLead: true)]
    #expect(line.isGathering)
    #expect(entries == [.follower, .leader, .follower])
    line = WriterLine()
    let attempts = 0..<WriterLine.aloneLimit + 8
    let taken = attempts.map { _ in
      defer { line.isHeld = false }
      return line.takeAlone()
    }
    #expect(taken == attempts.map { $0 < WriterLine.aloneLimit })
    entries.append(line.enter(mayLead: false))
    #expect(entries.last == .follower)
  }

  @Test("saves of tasks of every priority are done, however many meet") func allPriorities() async throws {
    try await withTemporaryStore(for: Parcel.self) { store in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for id in 0..<300 {
          group.addTask(priority: [.background, .utility, .medium, .high][id % 4]) {
            try await store.insert(Parcel(id: id))
          }
        }
        try await group.waitForAll()
      }
      let count = try await store.count(Parcel.all)
      #expect(count == 300)
    }
  }

  @Test("commits of another process are seen while the line is never empty") func foreignCommits() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("a.larder")
    let store = try Store(at: file, for: Parcel.self, LedgerAccount.self)
    let other = try Store(at: file, for: Parcel.self, LedgerAccount.self)
    let isOver = Gate()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<3 {
        group.addTask {
          for number in 0... {
            if isOver.isOpen { break }
            try await store.write {
              try $0.save((0..<20).map { Parcel(id: task * 1_000_000 + $0, weight: Double(number)) })
            }
          }
        }
      }
      var iterator = store.live(LedgerAccount.all).makeAsyncIterator()
      #expect(try await iterator.next()?.count == 0)
      for count in 1...5 {
        try await other.insert(LedgerAccount(id: count))
        while let accounts = try await iterator.next(), accounts.count < count {}
      }
      isOver.open()
      try await group.waitForAll()
    }
    #expect(try await store.count(LedgerAccount.all) == 5)
  }
}

/// Notes in which task it was checked and encoded.
struct TenantOrigin: Codable, Hashable {
  var tenant: Int

  init(tenant: Int) { self.tenant = tenant }

  init(from decoder: any Decoder) throws { tenant = try decoder.singleValueContainer().decode(Int.self) }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(GroupCommitTaskTests.tenant)
  }
}

@Model
struct TenantOrder {
  var id: Int
  var tenant: Int
  var origin: [TenantOrigin] = [TenantOrigin(tenant: -1)]

  struct WrongTask: Error {}

  func validate() throws {
    guard GroupCommitTaskTests.tenant == tenant else { throw WrongTask() }
  }
}

/// What tells a task from others. The priority is that which it was given: waiting for it may raise it.
struct TaskTraits: Codable, Hashable {
  var priority = Task<Never, Never>.basePriority?.rawValue
  var name = GroupCommitTaskTests.taskName
}

/// Notes in which task it was encoded.
struct NamedOrigin: Codable, Hashable {
  var traits = TaskTraits()

  init() {}

  init(from decoder: any Decoder) throws { traits = try decoder.singleValueContainer().decode(TaskTraits.self) }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(TaskTraits())
  }
}

@Model
struct NamedOrder {
  var id: Int
  var expected: TaskTraits
  var encoded: [NamedOrigin] = [NamedOrigin()]

  struct WrongTask: Error {}

  func validate() throws {
    guard TaskTraits() == expected else { throw WrongTask() }
  }
}
