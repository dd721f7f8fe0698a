import Foundation
import Larder
import LarderTestSupport

@testable import LarderTool

/// A file that another program made.
struct ModelSourceFile {
  private let folder: TemporaryFolder
  let path: String

  /// Creates the file with statements of SQL.
  init(_ statements: [String]) async throws {
    folder = try TemporaryFolder()
    path = folder.file("other.db").path
    let store = try Store(at: path)
    let own = ["_larder_models", "_larder_migrations", "_larder_info", "_larder_once"]
    for sql in statements + own.map({ "drop table \($0)" }) { try await store.sql(SQL(raw: sql)) }
    await store.close()
  }

  /// The source of its models.
  var source: String {
    get async throws { try await ModelSource.text(ofFile: path) }
  }
}

extension ModelSource {
  /// Returns the source of the models of a file.
  static func text(ofFile path: String) async throws -> String {
    let configuration = Store.Configuration(schema: .existing, access: .readOnly)
    let store = try Store(at: path, for: [], configuration: configuration)
    let tables = try await store.tables
    await store.close()
    return ModelSource(tables).text
  }
}

extension String {
  /// Returns those of the lines that the text doesn't have.
  func missing(_ lines: [String]) -> [String] {
    let own = Set(components(separatedBy: "\n"))
    return lines.filter { !own.contains($0) }
  }
}
