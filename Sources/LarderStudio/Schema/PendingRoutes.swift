import Dispatch
import Hummingbird
import Larder

/// Who knows what the program's models and migrations would still change in the file.
enum PendingChanges: Sendable {
  /// Nobody: only the file is known.
  case unknown
  /// The store: a program's migrations run when it opens its store.
  case ran
  /// The program.
  case planned(@Sendable () throws -> MigrationPlan)
}

/// `api/pending`: what the program's models and migrations would still change in the file.
struct PendingRoutes {
  private struct Summary: Encodable {
    enum Source: String, Encodable { case file, store, program }

    /// Who knows it.
    let source: Source
    let steps: [String]
    let notes: [String]

    init(_ source: Source, _ plan: MigrationPlan? = nil) {
      self.source = source
      steps = plan?.steps ?? []
      notes = plan?.notes ?? []
    }
  }

  let library: Library

  func addRoutes(to router: some RouterMethods<some RequestContext>) {
    router.get("pending") { _, _ in
      switch library.pending {
      case .unknown: try Response.json(Summary(.file))
      case .ran: try Response.json(Summary(.store))
      case .planned(let plan): try Response.json(Summary(.program, try await Self.running(plan)))
      }
    }
  }

  /// Calls the closure on a thread that may wait for the file.
  private static func running(_ plan: @escaping @Sendable () throws -> MigrationPlan) async throws -> MigrationPlan {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(with: Result { try plan() }) }
    }
  }
}
