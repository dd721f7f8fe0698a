package import Foundation

extension ModuleConnection {
  /// The names of the collections of documents in the file.
  package var collections: [String] {
    get throws { try connection.documents.names() }
  }

  /// Creates a collection of documents, and notes properties that its documents get. In a transaction of the caller's.
  ///
  /// - Returns: False if a table that isn't a collection has the name, or no collection may have it.
  /// - Throws: The errors of any write.
  package func prepareCollection(_ name: String, _ properties: [String] = []) throws -> Bool {
    do {
      try connection.documents.prepare(name, properties)
      return true
    } catch let error as StoreError where error.code == .schemaMismatch {
      return false
    }
  }

  /// Returns whether a collection records when its documents are added and updated.
  package func keepsTimes(_ collection: String) throws -> Bool { try connection.documents.keepsTimes(collection) }

  /// Notes when a row expires that the module has written, so that it is deleted in time.
  package func noteExpiry(_ seconds: Double) {
    connection.environment.clock.note(seconds)
  }
}

/// The JSON of documents, taken apart and put together by top-level property.
package enum DocumentParts {
  /// Returns the properties with the JSON of their values, in the form in which Larder writes it. Empty for a text that
  /// isn't a document.
  package static func of(_ json: Data) -> [(name: String, value: Data)] {
    guard let text = String(bytes: json, encoding: .utf8), let document = try? DocumentReader.storedDocument(text)
    else { return [] }
    return document.compactMap { name, value in
      (try? DocumentWriter.json(of: value)).map { (name, Data($0.utf8)) }
    }
  }

  /// Returns the JSON of the document with these properties.
  ///
  /// - Throws: ``StoreError`` `.invalidValue` for a value that isn't JSON.
  package static func document(_ properties: [(name: String, value: Data)]) throws -> Data {
    let document = Document(
      try properties.map { ($0.name, try DocumentReader.stored(String(decoding: $0.value, as: UTF8.self))) })
    return Data(try DocumentWriter.json(of: document).utf8)
  }

  /// Returns whether bytes are the JSON of a value as a property has it, in the form in which Larder writes it.
  package static func isValue(_ json: Data) -> Bool {
    // In a document, it is one level deeper.
    of(Data(#"{"a":"#.utf8) + json + Data("}".utf8)).map(\.value) == [json]
  }

  /// The text between the quotation marks of a name in JSON.
  package static func escaped(_ name: String) -> String { DocumentWriter.escaped(name) }

  /// The name of which this is the text between the quotation marks; nil if it isn't one.
  package static func name(ofEscaped text: String) -> String? {
    (try? DocumentReader.value("\"\(text)\""))?.text
  }
}
