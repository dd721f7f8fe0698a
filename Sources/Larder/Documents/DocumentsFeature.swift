/// Documents as a feature of a store: their SQL functions, the views through which SQL by hand reads them, and their
/// expiry.
final class DocumentsFeature: StoreFeature {
  var functions: [ScalarFunction] { DocumentSQL.functions }

  func upgrade(_ connection: Connection) throws {
    try connection.updateDocumentDates()
  }

  func didRollBack(_ connection: Connection, isOver: Bool) {
    connection.existingState(DocumentCatalogue.self)?.didRollBack(isOver: isOver)
  }

  func statement(ofUserSQL sql: String, _ connection: Connection) throws -> PreparedStatement? {
    try connection.userStatement(sql)
  }

  func withoutViews<Result>(_ connection: Connection, _ body: () throws -> Result) throws -> Result {
    try connection.dropDocumentViews()
    return try body()
  }
}

extension DocumentsFeature: AttachmentReferring {
  func attachmentColumns(_ connection: Connection) throws -> [AttachmentColumn] {
    try connection.documents.names().map { AttachmentColumn(table: $0, name: "json") }
  }
}

extension DocumentsFeature: ExpiringContents {
  func canExpire(_ connection: Connection) throws -> Bool {
    try !connection.documents.names().isEmpty
  }

  func removeExpired(_ span: ExpirySpan, limit: Int, _ connection: Connection) throws -> Int {
    try connection.removeExpiredDocuments(span, limit: limit)
  }

  func nextExpiry(after time: Double, _ connection: Connection) throws -> Double {
    try connection.nextDocumentExpiry(after: time)
  }

  func expiringTables(_ connection: Connection) throws -> [(table: String, column: String)] {
    try connection.documents.names().map { (table: $0, column: "expires") }
  }
}

extension Connection {
  /// The known collections of documents.
  var documents: DocumentCatalogue { state(DocumentCatalogue.self, DocumentCatalogue(self)) }
}
