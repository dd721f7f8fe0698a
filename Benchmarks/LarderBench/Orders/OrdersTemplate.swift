import Foundation

/// The file that all contenders' files are copies of.
struct OrdersTemplate {
  /// Where the rows came from, for the report.
  let source: String

  private let folder: URL
  private var plain: URL { folder.appending(path: "template.db") }
  private var indexed: URL { folder.appending(path: "template-indexed.db") }

  /// Makes the template in a folder, which is created anew.
  ///
  /// - Parameters:
  ///   - folder: removed first, if it exists.
  ///   - data: the folder with `northwind-orders.db`. Without that file, the rows are generated.
  /// - Throws: `SQLiteFailure`, or an error of the file system.
  init(in folder: URL, data: URL) throws {
    try self.init(in: folder) { plain in
      let northwind = data.appending(path: "northwind-orders.db")
      guard FileManager.default.fileExists(atPath: northwind.path) else {
        try Self.create(plain) { try RawC($0).insertAll(Northwind.generatedOrders()) }
        return "generated, as there is no \(northwind.path)"
      }
      try Self.create(plain) { try Northwind.copyOrders(from: northwind, into: $0) }
      return "Orders of \(northwind.path), dates as REAL"
    }
  }

  /// Makes a template with so many generated orders in a folder, which is created anew.
  init(in folder: URL, generating count: Int) throws {
    try self.init(in: folder) { plain in
      try Self.create(plain) { try RawC($0).insertAll(Northwind.generatedOrders(count)) }
      return "\(count) generated orders"
    }
  }

  /// - Parameter make: Makes the file, and returns where its rows come from.
  private init(in folder: URL, _ make: (URL) throws -> String) throws {
    self.folder = folder
    if FileManager.default.fileExists(atPath: folder.path) {
      try FileManager.default.removeItem(at: folder)
    }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    source = try make(folder.appending(path: "template.db"))
    // The indexed query has a file of its own: an index would be the same work for everybody in the writing cases, and
    // hide differences.
    try FileManager.default.copyItem(at: plain, to: indexed)
    try RawConnection(path: indexed.path).execute(OrdersTable.createIndex)
  }

  private static func create(_ file: URL, fill: (RawConnection) throws -> Void) throws {
    let connection = try RawConnection(path: file.path, creating: true)
    try connection.execute("PRAGMA journal_mode = WAL")
    try connection.execute(OrdersTable.create)
    try fill(connection)
  }

  /// The orders of the template, by key.
  func orders() throws -> [Order] {
    try RawC(path: plain.path).fetchAll()
  }

  /// A fresh copy for one contender in one case.
  ///
  /// - Returns: its path.
  func copy(for benchmark: BenchmarkCase, _ contender: ContenderName) throws -> String {
    let copy = folder.appending(path: "\(benchmark.rawValue)-\(contender.rawValue).db")
    for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: copy.path + suffix) {
      try FileManager.default.removeItem(atPath: copy.path + suffix)
    }
    try FileManager.default.copyItem(at: benchmark.needsIndex ? indexed : plain, to: copy)
    return copy.path
  }
}
