import Foundation
import Larder
import Testing

/// The file of a store, in a new folder that goes away with the value.
final class StoreFile: Sendable {
  let folder: URL
  let path: String

  init(_ name: String = "test.larder") throws {
    folder = FileManager.default.temporaryDirectory.appending(
      component: "larder-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.appending(component: name, directoryHint: .notDirectory).path(percentEncoded: false)
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  func open(_ models: any Model.Type..., migrations: [Migration] = []) throws -> Store {
    try Store(at: path, for: models, configuration: Store.Configuration(migrations: migrations))
  }

  /// Opens the file for a model, adds the values, and closes it.
  func write<M: Model>(_ values: [M], also models: any Model.Type..., migrations: [Migration] = []) throws {
    let store = try Store(at: path, for: [M.self] + models, configuration: Store.Configuration(migrations: migrations))
    try store.blocking.insert(values)
    // Statistics of many rows are computed behind the insertion, and keep a store open that isn't closed.
    try store.blocking.close()
  }

  /// What SQL answers in the file or in another one of its folder, whatever the models.
  ///
  /// - Parameter isNew: Whether the file is to be created first, as an empty one.
  @discardableResult
  func sql(_ statement: SQL, in name: String? = nil, creating isNew: Bool = false) throws -> [Row] {
    if isNew { try Data().write(to: URL(filePath: path)) }
    let file = name.map { folder.appending(component: $0).path(percentEncoded: false) } ?? path
    return try Store(at: file, for: [], configuration: Store.Configuration(schema: .existing)).blocking.sql(statement)
  }

  var columns: [String] {
    get throws { try sql("select name from pragma_table_xinfo('Note') order by cid").compactMap { $0["name"]?.text } }
  }

  var indexes: [String] {
    get throws {
      try sql("select name from sqlite_master where type = 'index' and sql is not null order by name").compactMap {
        $0["name"]?.text
      }
    }
  }

  /// The names of all files in the folder.
  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)).sorted() }
  }

  var bytes: Data {
    get throws { try Data(contentsOf: URL(filePath: path)) }
  }
}

extension StoreFile {
  /// Expects that the body is refused with an error of the kind that names the words, and that neither the file nor its
  /// folder changes.
  func expectRefusal(
    _ code: StoreError.Code, of property: String? = nil, naming words: String...,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
  ) throws {
    let (bytes, names) = (try bytes, try names)
    let error = #expect(throws: StoreError.self, sourceLocation: sourceLocation, performing: body)
    #expect(error?.code == code, sourceLocation: sourceLocation)
    if let property { #expect(error?.property == property, sourceLocation: sourceLocation) }
    for word in words {
      #expect(error?.message.contains(word) == true, "\(error?.message ?? "")", sourceLocation: sourceLocation)
    }
    #expect(try self.bytes == bytes, "the file was changed", sourceLocation: sourceLocation)
    #expect(try self.names == names, sourceLocation: sourceLocation)
  }
}
