#if os(Linux)
import Foundation
import Larder
import LarderTestSupport
import Testing

@testable import LarderTool

/// Where Microsoft's sample database is.
private enum NorthwindFile {
  /// `LARDER_TEST_DATA`, or the folder `shared/data` beside the package.
  static let url: URL = {
    if let path = ProcessInfo.processInfo.environment["LARDER_TEST_DATA"] {
      return URL(filePath: path, directoryHint: .isDirectory).appending(path: "northwind.db")
    }
    let package = (0..<3).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    return package.deletingLastPathComponent().appending(path: "shared/data/northwind.db")
  }()
  static let isThere = FileManager.default.fileExists(atPath: url.path)
}

@Suite(
  .enabled(if: NorthwindFile.isThere, "needs northwind.db (LARDER_TEST_DATA)"),
  .enabled(if: ModelSourceProgram.canBuild, "needs the objects of a debug build"), .timeLimit(.minutes(20)))
struct ModelSourceNorthwindTests {
  @Test("the source of Northwind's models compiles, opens the file as it is and reads every row of every table")
  func northwind() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("northwind.db")
    try FileManager.default.copyItem(at: NorthwindFile.url, to: file)
    // The copy of a read-only file is read-only.
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    let source = try await ModelSource.text(ofFile: file.path)
    #expect(source.contains("var customer: ToOne<Customer>?"))
    #expect(source.contains("@Relationship(inverse: \\Employee.reportsTo) var employeesByReportsTo: ToMany<Employee>"))
    let found = try ModelSourceProgram(source, in: folder).run(file.path)

    let store = try Store(
      at: file.path, for: [], configuration: Store.Configuration(schema: .existing, access: .readOnly))
    let tables = try await store.tables.filter { $0.kind == .table }.map(\.name)
    #expect(found.map(\.table).sorted() == tables.sorted() && tables.count == 13)
    for table in found {
      let count = try await store.count(TableQuery(table.table))
      #expect(table.count == count && table.rows == count, "\(table.table)")
    }
    #expect(found.first { $0.table == "Order Details" }?.rows == 2155)
  }
}
#endif
