import Foundation
import GRDBSQLite
import LarderTestSupport
import Testing

@testable import LarderProving

/// The file system whose calls fail is one for the whole process, so its tests run one after another.
@Suite("Faults", .serialized, .timeLimit(.minutes(20)))
enum FaultSuites {
  @Suite("The file system whose calls fail", .serialized)
  struct FaultVFSTests {
    private let folder: TemporaryFolder
    private let database: FaultDatabase
    private var file: URL { folder.file("a.db") }

    init() throws {
      try FaultVFS.register()
      folder = try TemporaryFolder()
      let file = folder.file("a.db")
      _ = FileManager.default.createFile(atPath: file.path(percentEncoded: false), contents: nil)
      database = try FaultDatabase(file)
      try database.column("pragma busy_timeout = 0")
      try database.column("create table t (a)")
      FaultVFS.confine(to: folder.url)
    }

    private func code(of sql: String) -> Int32? {
      do {
        try database.column(sql)
        return nil
      } catch let failure as FaultDatabase.Failure {
        return failure.code
      } catch {
        return -1
      }
    }

    @Test("the n-th call fails, and those before and after it do not", arguments: 1...3)
    func once(number: Int) {
      FaultVFS.arm(.write, at: number, .inputOutput)
      defer { FaultVFS.disarm() }
      #expect(code(of: "insert into t values (1)") == SQLITE_IOERR | (3 << 8))
      #expect(FaultVFS.failures == 1)
      #expect(FaultVFS.count(.write) >= number)
      #expect(FaultVFS.firstFailure.hasPrefix("write "))
      #expect(code(of: "insert into t values (1)") == nil)
      #expect(FaultVFS.failures == 1)
    }

    @Test("what persists fails until it is disarmed")
    func persistent() {
      FaultVFS.arm(.sync, at: 1, .inputOutput, persists: true)
      for _ in 0..<3 { #expect(code(of: "insert into t values (1)") == SQLITE_IOERR | (4 << 8)) }
      #expect(FaultVFS.failures >= 3)
      FaultVFS.disarm()
      #expect(code(of: "insert into t values (1)") == nil)
    }

    @Test("a full disk refuses what needs space, and a lock that is taken is busy")
    func codes() {
      FaultVFS.arm(.space, at: 1, .full)
      #expect(code(of: "insert into t values (1)") == SQLITE_FULL)
      FaultVFS.arm(.lock, at: 1, .busy)
      #expect(code(of: "insert into t values (1)").map { $0 & 0xFF } == SQLITE_BUSY)
      FaultVFS.arm(.delete, at: 1, .inputOutput)
      #expect(code(of: "insert into t values (1)").map { $0 & 0xFF } == SQLITE_IOERR)
      FaultVFS.disarm()
    }

    @Test("a short write leaves a part of the bytes in the file")
    func short() async throws {
      try database.column("pragma journal_mode = wal")
      try database.column("insert into t values (1)")
      let log = file.path(percentEncoded: false) + "-wal"
      func size() -> Int { FileManager.default.contents(atPath: log)?.count ?? 0 }
      let before = size()
      FaultVFS.arm(.write, at: 2, .short)
      #expect(code(of: "insert into t values (2)") == SQLITE_FULL)
      FaultVFS.disarm()
      // A header of 24 bytes, and half of a page.
      #expect(size() == before + 24 + 2048)
      #expect(try database.column("select count(*) from t") == ["1"])
    }

    @Test("files of other folders are left alone")
    func confined() throws {
      let other = try TemporaryFolder()
      let file = other.file("b.db")
      _ = FileManager.default.createFile(atPath: file.path(percentEncoded: false), contents: nil)
      FaultVFS.arm(.all, at: 1, .inputOutput, persists: true)
      defer { FaultVFS.disarm() }
      let database = try FaultDatabase(file)
      try database.column("create table t (a)")
      // A table of its own is in a file without a path, which belongs to no folder.
      try database.column("pragma temp_store = file")
      try database.column("pragma cache_size = 1")
      try database.column(
        "create temp table s as with recursive n(i) as (values (1) union all select i + 1 from n where i < 100) select randomblob(9000) from n"
      )
      #expect(FaultVFS.failures == 0)
    }

    @Test("calls are counted by their kind")
    func counts() throws {
      FaultVFS.startCounting()
      try database.column("pragma journal_mode = wal")
      try database.column("insert into t values (1)")
      try database.column("pragma wal_checkpoint(truncate)")
      for kind: FaultVFS.Calls in [
        .open, .read, .write, .sync, .truncate, .size, .lock, .sharedMemoryMap, .sharedMemoryLock, .delete, .access,
      ] {
        #expect(FaultVFS.count(kind) > 0, "kind \(kind.rawValue)")
      }
      #expect(FaultVFS.count() >= FaultVFS.count(.write) + FaultVFS.count(.read))
    }
  }
}
