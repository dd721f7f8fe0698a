import Foundation
import Larder

extension FaultScenario {
  private typealias Sample = FaultSample

  /// Checkpoints: the one that is asked for, and those of the background.
  static let checkpoints: [FaultScenario] = [
    FaultScenario(
      name: "checkpoint",
      steps: [
        Step("insert") { try await $1.insert(Sample.books(100...110)) },
        Step("checkpoint") { try await $1.checkpoint() },
        Step("insert again") { try await $1.insert(Sample.books(111...112)) },
        Step("checkpoint again") { try $1.blocking.checkpoint() },
      ]),
    background("checkpoint-passive", bytes: 5 << 20),
    background("checkpoint-restart", bytes: 17 << 20),
    background("checkpoint-truncate", bytes: 33 << 20),
    FaultScenario(
      name: "checkpoint-behind-reader", prepare: { try await writeLog($0, bytes: 17 << 20) },
      steps: [
        // The reader keeps the log from starting over, so that the writer waits, and tries again with more.
        Step("insert beside a reader") { _, store in
          try await store.read { db in
            _ = try db.count(FaultBook.all)
            try store.blocking.insert(Sample.books(100...100)[0])
          }
        },
        Step("insert after it") { try await $1.insert(Sample.books(101...101)[0]) },
        turn,
      ]),
  ]

  /// A commit to a log of the size, after which the writer moves it into the file: the larger it is, the more the writer
  /// does to empty it.
  private static func background(_ name: String, bytes: Int) -> FaultScenario {
    FaultScenario(
      name: name, prepare: { try await writeLog($0, bytes: bytes) },
      steps: [Step("insert") { try await $1.insert(Sample.books(100...100)[0]) }, turn])
  }

  /// The next one whose turn it is comes after the checkpoint.
  private static let turn = Step("wait for the writer") { try await $1.write { _ in } }

  /// Leaves a log of at least so many bytes beside the file, as after a crash: a few pages, written again and again.
  @Sendable private static func writeLog(_ place: FaultPlace, bytes: Int) async throws {
    let making = FaultPlace(folder: place.folder.appending(component: "making", directoryHint: .isDirectory))
    try FileManager.default.createDirectory(at: making.folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: making.folder) }
    try await Sample.write(to: making)
    let log = URL(filePath: making.store.path(percentEncoded: false) + "-wal")
    let database = try FaultDatabase(making.store)
    try database.column("pragma wal_autocheckpoint = 0")
    try database.column("pragma synchronous = off")
    try database.column("create table Filler (id integer primary key, text text)")
    try database.column("insert into Filler values (1, '')")
    let path = log.path(percentEncoded: false)
    repeat {
      for _ in 0..<100 { try database.column("update Filler set text = hex(randomblob(1000))") }
    } while try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0 < bytes
    for name in making.names where !name.hasSuffix("-shm") {
      try FileManager.default.copyItem(at: making.file(name), to: place.file(name))
    }
    withExtendedLifetime(database) {}
  }
}
