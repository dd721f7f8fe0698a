import Dispatch
import Synchronization
import Testing

@testable import Larder

@Suite("Threads that may block", .timeLimit(.minutes(20)))
struct WorkerPoolTests {
  private static let threads = 16

  @Test(
    "work that waits for a disk keeps other work waiting only once all threads are taken", arguments: [true, false])
  func blocked(borrows: Bool) async {
    let pool = WorkerPool(label: "test", limit: Self.threads, borrows: borrows)
    let disk = DispatchSemaphore(value: 0)
    let finished = Mutex(0)
    for _ in 1..<Self.threads {
      pool.submit {
        disk.wait()
        finished.withLock { $0 += 1 }
      }
    }
    await withCheckedContinuation { continuation in pool.submit { continuation.resume() } }
    // This takes the last thread; what comes then waits for its turn.
    pool.submit { disk.wait() }
    let order = Mutex<[Int]>([])
    for number in 0..<3 { pool.submit { order.withLock { $0.append(number) } } }
    let sum = await withTaskGroup(of: Int.self) { group in
      for number in 0..<100 { group.addTask { number } }
      return await group.reduce(0, +)
    }
    #expect(sum == 4950)
    #expect(order.withLock(\.self) == [])
    for _ in 0..<Self.threads { disk.signal() }
    while finished.withLock(\.self) < Self.threads - 1 || order.withLock(\.count) < 3 { await Task.yield() }
  }
}
