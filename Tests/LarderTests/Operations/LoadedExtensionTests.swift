import Foundation
import GRDBSQLite
import LarderTestSupport
import Testing

@testable import Larder

/// Extensions of SQLite that `onOpen` loads. Source: <https://www.sqlite.org/loadext.html>.
@Suite("Extensions of SQLite", .timeLimit(.minutes(20)))
struct LoadedExtensionTests {
  private static let source = """
    #include <sqlite3ext.h>
    SQLITE_EXTENSION_INIT1
    static void twice(sqlite3_context *context, int count, sqlite3_value **values) {
      sqlite3_result_int64(context, 2 * sqlite3_value_int64(values[0]));
    }
    int sqlite3_twice_init(sqlite3 *db, char **message, const sqlite3_api_routines *api) {
      SQLITE_EXTENSION_INIT2(api);
      return sqlite3_create_function(
        db, "twice", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, 0, twice, 0, 0);
    }
    """

  /// Compiles the extension; nil where there is no compiler, or not SQLite's header.
  private static func compile(in folder: TemporaryFolder) async throws -> String? {
    let (source, library) = (folder.file("twice.c"), folder.file("twice.so"))
    try Data(Self.source.utf8).write(to: source)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "cc", "-shared", "-fPIC", "-o", library.path(percentEncoded: false), source.path(percentEncoded: false),
    ]
    process.standardError = FileHandle.nullDevice
    let status = try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
      do {
        try process.run()
      } catch {
        continuation.resume(throwing: error)
      }
    }
    return status == 0 ? library.path(percentEncoded: false) : nil
  }

  private struct NotLoaded: Error {
    let message: String
  }

  @Sendable private static func load(_ library: String, into connection: OpenedConnection) throws {
    sqlite3_enable_load_extension(connection.handle, 1)
    defer { sqlite3_enable_load_extension(connection.handle, 0) }
    var message: UnsafeMutablePointer<CChar>?
    defer { sqlite3_free(message) }
    guard sqlite3_load_extension(connection.handle, library, nil, &message) == SQLITE_OK else {
      throw NotLoaded(message: message.map { String(cString: $0) } ?? "")
    }
  }

  @Test(
    "an extension that onOpen loads is there for reads, writes, contexts and indexes, and when the file is opened again"
  )
  func loaded() async throws {
    let folder = try TemporaryFolder()
    guard let library = try await Self.compile(in: folder) else { return }
    let configuration = Store.Configuration(onOpen: { try Self.load(library, into: $0) })
    let file = folder.file("a.larder")
    func expect(_ store: Store, _ years: [Int]) async throws {
      let sql: SQL = "select twice(year) from LibraryBook order by id"
      #expect(try await store.sql(sql, as: Int.self) == years)
      #expect(try await store.read { try $0.sql(sql, as: Int.self) } == years)
      #expect(try await store.write { try $0.sql(sql, as: Int.self) } == years)
      #expect(try Context(store).sql(sql, as: Int.self) == years)
    }
    do {
      let store = try Store(at: file, for: [LibraryBook.self], configuration: configuration)
      try await store.insert([makeBook(id: 1, title: "one", year: 21), makeBook(id: 2, title: "two", year: 4)])
      try await expect(store, [42, 8])
      try await store.sql("create index doubled on LibraryBook (twice(year))")
      try await store.sql("update LibraryBook set year = twice(year) where id = 2")
      try await expect(store, [42, 16])
      await store.close()
    }
    let store = try Store(at: file, for: [LibraryBook.self], configuration: configuration)
    try await store.insert(makeBook(id: 3, title: "three", year: 1))
    try await expect(store, [42, 16, 2])
    #expect(try await store.check().isHealthy)
  }

  @Test("SQL cannot load an extension: only onOpen can")
  func refused() async throws {
    let folder = try TemporaryFolder()
    guard let library = try await Self.compile(in: folder) else { return }
    let store = try Store(
      at: folder.file("a.larder"), for: [LibraryBook.self],
      configuration: Store.Configuration(onOpen: { try Self.load(library, into: $0) }))
    await #expect(throws: StoreError.self) { try await store.sql("select load_extension(\(library))") }
    #expect(throws: NotLoaded.self) {
      _ = try Store(
        at: folder.file("b.larder"), for: [LibraryBook.self],
        configuration: Store.Configuration(onOpen: { try Self.load("\(library).missing", into: $0) }))
    }
  }
}
