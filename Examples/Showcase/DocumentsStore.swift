import Foundation
import Larder

/// A store without models: one collection of JSON documents, which Studio shows.
enum DocumentsStore {
  static let collection = "papers"

  /// Opens `documents.larder` and creates it, with a few documents, if need be.
  ///
  /// Throws `StoreError` if the file is no store, and what Foundation throws if the folder cannot be made.
  static func open(in folder: URL) throws -> Store {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let store = try Store(at: folder.appending(path: "documents.larder", directoryHint: .notDirectory), for: [])
    try store.blocking.once("first documents") { db in
      let papers = db.documents(collection)
      guard try papers.count() == 0 else { return }
      for (key, json) in first { try papers.save(key, json: json) }
      try papers.save("parking", json: #"{"kind":"ticket","place":"Opera"}"#, expires: .now + 60 * 60)
      try papers.save("forecast", json: #"{"kind":"weather","degrees":{"day":14.5,"night":6}}"#, expires: .now + 86_400)
    }
    return store
  }

  /// Nobody has declared their properties, and each kind has others.
  private static let first = [
    ("ada", #"{"kind":"person","name":"Ada","born":1815,"address":{"city":"London"},"tags":["analyst","countess"]}"#),
    ("grace", #"{"kind":"person","name":"Grace","born":1906,"address":{"city":"New York"},"tags":["admiral"]}"#),
    (
      "order 17",
      """
      {"kind":"order","customer":{"name":"Grace","address":{"city":"Graz"}},\
      "lines":[{"item":"Apricot jam","price":4.90,"pieces":3},{"item":"Plum jam","price":5.20,"pieces":1}],"paid":false}
      """
    ),
    ("shelf", #"{"kind":"place","shelves":[{"height":30,"jars":["apricot","plum"]},{"height":22,"jars":[]}]}"#),
  ]
}
