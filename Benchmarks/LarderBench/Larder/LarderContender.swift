import Foundation
import Larder

/// Larder: what reads through `blocking` and through the asynchronous methods, everything else through the latter.
final class LarderContender: Contender {
  private let store: Store

  /// Larder never adds a checkpoint to a commit: when the log has grown, its writer makes one between two commits.
  init(path: String, checkpointsInCommit: Bool) throws {
    store = try Store(at: path, for: LarderOrder.self, schema: .existing)
  }

  func fetchAll() throws -> [LarderOrder] {
    try store.blocking.fetch(LarderOrder.all)
  }

  func fetchAllAsync() async throws -> [LarderOrder] {
    try await store.fetch(LarderOrder.all)
  }

  func find(_ keys: [Int], body: (LarderOrder?) -> Void) throws {
    let store = store.blocking
    for key in keys {
      body(try store.find(LarderOrder.self, key))
    }
  }

  func findAsync(_ keys: [Int], body: (LarderOrder?) -> Void) async throws {
    for key in keys {
      body(try await store.find(LarderOrder.self, key))
    }
  }

  func latest(_ count: Int, ofEach customers: [String], body: ([LarderOrder]) -> Void) throws {
    let store = store.blocking
    for customer in customers {
      let query = LarderOrder.where { $0.customerID == customer }.sorted(by: \.orderDate, order: .reverse).limit(count)
      body(try store.fetch(query))
    }
  }

  func latestAsync(_ count: Int, ofEach customers: [String], body: ([LarderOrder]) -> Void) async throws {
    for customer in customers {
      let query = LarderOrder.where { $0.customerID == customer }.sorted(by: \.orderDate, order: .reverse).limit(count)
      body(try await store.fetch(query))
    }
  }

  func insertAll(_ records: [LarderOrder]) async throws {
    try await store.insert(records)
  }

  func saveEach(_ records: [LarderOrder]) async throws {
    for record in records {
      try await store.save(record)
    }
  }

  func saveConcurrently(_ records: [LarderOrder], tasks: Int) async throws {
    try await records.forEach(inTasks: tasks) { [store] record in
      try await store.save(record)
    }
  }

  func updateAll(_ records: [LarderOrder]) async throws {
    try await store.update(records)
  }
}
