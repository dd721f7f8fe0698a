import Foundation
import Larder
import LarderTestSupport
import Testing

@testable import LarderSync

extension Replica {
  /// A replica whose file is a copy of this one's.
  func copied(configuration: Store.Configuration = .init(sync: .on)) async throws -> Replica {
    let folder = try TemporaryFolder()
    try await store.backup(to: folder.file("test.larder"))
    return try Replica(folder: folder, configuration: configuration)
  }

  /// The bytes of a backup.
  func bytes() async throws -> Data {
    let url = folder.file("\(ReplicaID()).backup")
    try await store.backup(to: url)
    return try Data(contentsOf: url)
  }

  /// Writes bytes over the file, which stays the same one to the file system, and opens it again.
  func replacingFile(with bytes: Data) async throws -> Replica {
    let place = try await store.readingModule { try ReplicaFile($0).place }
    await store.close()
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    let handle = try FileHandle(forWritingTo: URL(filePath: path))
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: bytes)
    try handle.close()
    let opened = try Replica(folder: folder)
    #expect(try await opened.store.readingModule { try ReplicaFile($0).place } == place)
    return opened
  }

  /// The keys of the rows of ``SharedKind``.
  func kindKeys() async throws -> Set<String> { Set(try await store.fetch(SharedKind.all).map(\.id)) }
}
