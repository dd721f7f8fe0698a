import Foundation
import GRDBSQLite

/// SQLite's session extension, of the system's library: it records what changes, resolves no conflict, and keeps no
/// state. <https://www.sqlite.org/sessionintro.html>
struct SessionExtension {
  private typealias Create =
    @convention(c) (
      OpaquePointer?, UnsafePointer<CChar>?, UnsafeMutablePointer<OpaquePointer?>?
    ) -> Int32
  private typealias Attach = @convention(c) (OpaquePointer?, UnsafePointer<CChar>?) -> Int32
  private typealias Changeset =
    @convention(c) (
      OpaquePointer?, UnsafeMutablePointer<Int32>?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) -> Int32
  private typealias Delete = @convention(c) (OpaquePointer?) -> Void
  private typealias Conflict = @convention(c) (UnsafeMutableRawPointer?, Int32, OpaquePointer?) -> Int32
  private typealias Apply =
    @convention(c) (
      OpaquePointer?, Int32, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Conflict?, UnsafeMutableRawPointer?
    ) -> Int32

  private let create: Create
  private let attach: Attach
  private let changeset: Changeset
  private let delete: Delete
  private let apply: Apply

  /// - Returns: nil if the system's library has no session extension.
  init?() {
    func symbol<Function>(_ name: String, _ type: Function.Type) -> Function? {
      // The address of a function and a C function pointer have one representation.
      dlsym(nil, name).map { unsafeBitCast($0, to: type) }
    }
    guard let create = symbol("sqlite3session_create", Create.self),
      let attach = symbol("sqlite3session_attach", Attach.self),
      let changeset = symbol("sqlite3session_changeset", Changeset.self),
      let delete = symbol("sqlite3session_delete", Delete.self),
      let apply = symbol("sqlite3changeset_apply", Apply.self)
    else { return nil }
    (self.create, self.attach, self.changeset, self.delete, self.apply) = (create, attach, changeset, delete, apply)
  }

  /// The seconds of the same work with and without a session, and those of making and applying the changeset.
  struct Times {
    var plain = 0.0
    var tracked = 0.0
    var update = 0.0
    var trackedUpdate = 0.0
    var changeset = 0.0
    var apply = 0.0
  }

  /// Inserts and updates rows of a table of the shape of ``SyncOrder`` with SQLite alone.
  func measure(_ orders: [SyncOrder], in folder: URL) throws -> Times {
    var times = Times()
    let plain = try Connection(folder.appending(component: "session plain"))
    times.plain = try seconds { try plain.insert(orders) }
    times.update = try seconds { try plain.execute(Connection.update) }
    let tracked = try Connection(folder.appending(component: "session tracked"))
    var session: OpaquePointer?
    guard create(tracked.pointer, "main", &session) == SQLITE_OK, attach(session, nil) == SQLITE_OK else {
      throw SessionFailure()
    }
    defer { delete(session) }
    times.tracked = try seconds { try tracked.insert(orders) }
    var (size, bytes): (Int32, UnsafeMutableRawPointer?) = (0, nil)
    times.changeset = try seconds {
      guard changeset(session, &size, &bytes) == SQLITE_OK else { throw SessionFailure() }
    }
    defer { sqlite3_free(bytes) }
    let other = try Connection(folder.appending(component: "session other"))
    times.apply = try seconds {
      try other.execute("BEGIN")
      guard apply(other.pointer, size, bytes, nil, { _, _, _ in 0 }, nil) == SQLITE_OK else { throw SessionFailure() }
      try other.execute("COMMIT")
    }
    times.trackedUpdate = try seconds { try tracked.execute(Connection.update) }
    return times
  }

  private func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    return start.duration(to: .now) / .seconds(1)
  }

  struct SessionFailure: Error {}

  /// A connection of SQLite's own.
  private final class Connection {
    static let update = "UPDATE SyncOrders SET freight = freight + 1"

    let pointer: OpaquePointer?

    init(_ url: URL) throws {
      var pointer: OpaquePointer?
      guard sqlite3_open(url.path, &pointer) == SQLITE_OK else { throw SessionFailure() }
      self.pointer = pointer
      try execute("PRAGMA journal_mode = WAL")
      try execute("PRAGMA synchronous = NORMAL")
      try execute(
        """
        CREATE TABLE SyncOrders (id BLOB PRIMARY KEY NOT NULL, customerID TEXT, employeeID INTEGER, orderDate REAL, \
        requiredDate REAL, shippedDate REAL, shipVia INTEGER, freight REAL NOT NULL, shipName TEXT, shipAddress TEXT, \
        shipCity TEXT, shipRegion TEXT, shipPostalCode TEXT, shipCountry TEXT) STRICT
        """)
    }

    deinit { sqlite3_close_v2(pointer) }

    func execute(_ sql: String) throws {
      guard sqlite3_exec(pointer, sql, nil, nil, nil) == SQLITE_OK else { throw SessionFailure() }
    }

    func insert(_ orders: [SyncOrder]) throws {
      // Source: SQLITE_TRANSIENT in <https://www.sqlite.org/c3ref/c_static.html>.
      let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
      var statement: OpaquePointer?
      let places = Array(repeating: "?", count: 14).joined(separator: ", ")
      guard sqlite3_prepare_v2(pointer, "INSERT INTO SyncOrders VALUES (\(places))", -1, &statement, nil) == SQLITE_OK
      else { throw SessionFailure() }
      defer { sqlite3_finalize(statement) }
      try execute("BEGIN")
      for order in orders {
        withUnsafeBytes(of: order.id.uuid) { _ = sqlite3_bind_blob(statement, 1, $0.baseAddress, 16, transient) }
        let texts = [
          (2, order.customerID), (9, order.shipName), (10, order.shipAddress), (11, order.shipCity),
          (12, order.shipRegion), (13, order.shipPostalCode), (14, order.shipCountry),
        ]
        for (place, text) in texts { sqlite3_bind_text(statement, Int32(place), text, -1, transient) }
        for (place, number) in [(3, order.employeeID), (7, order.shipVia)] {
          sqlite3_bind_int64(statement, Int32(place), Int64(number ?? 0))
        }
        for (place, date) in [(4, order.orderDate), (5, order.requiredDate), (6, order.shippedDate)] {
          sqlite3_bind_double(statement, Int32(place), date?.timeIntervalSinceReferenceDate ?? 0)
        }
        sqlite3_bind_double(statement, 8, order.freight)
        guard sqlite3_step(statement) == SQLITE_DONE else { throw SessionFailure() }
        sqlite3_reset(statement)
      }
      try execute("COMMIT")
    }
  }
}
