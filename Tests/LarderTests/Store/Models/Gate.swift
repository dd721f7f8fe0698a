import Dispatch
import Larder
import Synchronization

/// Opened once; whoever waits before that waits for it, and whoever comes later goes on at once.
final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  /// The gate stayed shut for so long that the test would hang.
  struct StayedShut: Error {}

  private let state = Mutex(State())
  private let semaphore = DispatchSemaphore(value: 0)

  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    semaphore.signal()
    for continuation in waiting { continuation.resume() }
  }

  var isOpen: Bool { state.withLock { $0.isOpen } }

  /// Waits without a thread.
  func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiting.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  /// Blocks the thread, as the synchronous closures of a store may.
  func waitBlocking() throws {
    guard semaphore.wait(timeout: .now() + 240) == .success else { throw StayedShut() }
    semaphore.signal()
  }
}

/// Lets so many go on together, once all of them are there.
final class Barrier: Sendable {
  private let missing: Mutex<Int>
  private let gate = Gate()

  init(_ count: Int) {
    missing = Mutex(count)
  }

  func arrive() {
    let isLast = missing.withLock { missing in
      missing -= 1
      return missing == 0
    }
    if isLast { gate.open() }
  }

  func wait() async { await gate.wait() }

  func arriveAndWait() throws {
    arrive()
    try gate.waitBlocking()
  }
}

/// A stored value that opens a gate when it is read: then a statement is known to be running.
struct Beacon: StoredValue {
  private static let gates = Mutex<[Gate]>([])

  static var storageClass: StorageClass { .integer }

  let number: Int64

  /// A beacon for the gate. Bind it in SQL, and read it back as a `Beacon`.
  init(for gate: Gate) {
    number = Self.gates.withLock { gates in
      gates.append(gate)
      return Int64(gates.count - 1)
    }
  }

  init(storedValue: Value) throws {
    number = try Int64(storedValue: storedValue)
    let gate = Self.gates.withLock { [number] gates in gates[Int(number)] }
    gate.open()
  }

  func storedValue() throws -> Value { .integer(number) }

  /// A query that gives one row, which opens the gate, and then never ends by itself.
  static func endless(_ gate: Gate) -> SQL {
    "with recursive n(i) as (select 1 union all select i + 1 from n) select \(Beacon(for: gate)) from n where i = 1"
  }
}
