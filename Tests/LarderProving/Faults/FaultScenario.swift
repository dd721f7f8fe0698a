import Foundation
import Larder

/// Work on a store that faults are injected into.
struct FaultScenario: Sendable {
  /// When calls fail.
  enum Phase: Sendable {
    /// While an open store works.
    case working
    /// While the store is opened.
    case opening
    /// While the store is closed after its work.
    case closing
  }

  /// One call of the store: acknowledged if it returns, and otherwise done as a whole or not at all.
  struct Step: Sendable {
    let name: String
    let perform: @Sendable (FaultPlace, Store) async throws -> Void

    init(_ name: String, _ perform: @escaping @Sendable (FaultPlace, Store) async throws -> Void) {
      self.name = name
      self.perform = perform
    }
  }

  let name: String
  var phase = Phase.working
  /// The models that the store is opened with.
  var models: [any Model.Type] = [FaultBook.self]
  var configuration = Store.Configuration(busyTimeout: .milliseconds(50))
  /// Whether the steps run at the same time.
  var isConcurrent = false
  /// Whether the write-ahead log is still there when the store is opened, as after a crash.
  var leavesLog = false
  /// Codes that errors may have besides those that tell of the file system.
  var codes: Set<StoreError.Code> = []
  /// Makes the files that each trial begins with; by default, those of a store with a few shelves.
  var prepare: @Sendable (FaultPlace) async throws -> Void = { try await FaultSample.write(to: $0) }
  var steps: [Step]
  /// Looks at the files after the calls have succeeded again, given the names of the steps that returned.
  var inspect: @Sendable (FaultPlace, Set<String>) async throws -> [String] = { _, _ in [] }

  /// Opens the scenario's store.
  func open(_ place: FaultPlace) throws -> Store {
    try Store(at: place.store, for: models + [FaultProbe.self], configuration: configuration)
  }
}

/// The folder of one trial.
struct FaultPlace: Sendable {
  let folder: URL
  /// Lets all calls succeed again, for steps that try twice.
  var disarm: @Sendable () -> Void = {}
  /// Whether files could not be removed, so that what is left of something unfinished is nobody's fault.
  var keepsFiles = false

  var store: URL { folder.appending(component: "test.larder") }

  func file(_ name: String) -> URL { folder.appending(component: name) }

  /// The names of all files in the folder.
  var names: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)).sorted()) ?? []
  }
}
