package import Foundation

extension ModuleConnection {
  /// Registers the data of an attachment before it has come, so that rows may refer to it. In a transaction of the
  /// caller's.
  ///
  /// - Parameter digest: The digest: 64 lowercase hexadecimal digits.
  /// - Returns: Whether the data is here.
  /// - Throws: The errors of any write.
  package func expectAttachment(_ digest: String) throws -> Bool {
    guard Attachment.isDigest(digest) else { return true }
    Attachment.noteUse()
    try AttachmentTable(connection).expect(digest)
    connection.environment.attachments.activate()
    return try hasAttachment(digest)
  }

  /// Returns whether the data of an attachment is here and registered.
  package func hasAttachment(_ digest: String) throws -> Bool {
    guard Attachment.isDigest(digest) else { return true }
    guard try AttachmentTable(connection).isRegistered(digest) else { return false }
    let folder = connection.environment.attachments.folder
    return switch folder.content(of: digest) {
    case .absent: false
    // Data of which all has arrived may not be on the disk as long as that file is there.
    case .file(let size): folder.arrivedSize(of: digest).map { $0 < size } ?? true
    case .somethingElse: true
    }
  }

  /// Returns the number of bytes of an attachment; nil if they aren't here and registered.
  package func attachmentSize(_ digest: String) throws -> Int? {
    guard Attachment.isDigest(digest), try hasAttachment(digest) else { return nil }
    let rows = try connection.query(
      "SELECT size FROM main.\(AttachmentTable.name) WHERE digest = ?1", [.text(digest)])
    return rows.first?["size"]?.integer.map { Int($0) }
  }

  /// Returns whether any row refers to an attachment.
  package func isAttachmentUsed(_ digest: String) throws -> Bool {
    guard try AttachmentTable(connection).exists() else { return false }
    return try !connection.query(
      "SELECT 1 FROM main.\(AttachmentTable.name) WHERE digest = ?1 AND uses > 0", [.text(digest)]
    ).isEmpty
  }

  /// Counts references to attachments in columns of a module, from now on. In a transaction of the caller's.
  package func countAttachments(in columns: [(table: String, column: String)]) throws {
    try AttachmentTable(connection).watch(
      columns.map { AttachmentColumn(table: $0.table, name: $0.column, isLoose: true) })
  }

  /// Counts all references anew, after tables of a module have gone. In a transaction of the caller's.
  package func recountAttachments() throws {
    let table = AttachmentTable(connection)
    if try table.exists() { try table.recount() }
  }
}

extension Attachment {
  /// Returns the attachments that JSON names, by their digests with the numbers of bytes. Empty for a text that isn't
  /// JSON.
  package static func named(in json: Data) -> [(digest: String, size: Int)] {
    guard json.withUnsafeBytes({ isNamed(in: $0) }),
      let value = try? DocumentReader.stored(String(decoding: json, as: UTF8.self))
    else { return [] }
    var (found, rest): ([(digest: String, size: Int)], [DocumentValue]) = ([], [value])
    while let value = rest.popLast() {
      switch value {
      case .array(let values): rest += values
      case .object(let document):
        if case .text(let digest)? = document[CodingKeys.digest.rawValue], isDigest(digest),
          case .integer(let size)? = document[CodingKeys.size.rawValue], let size = Int(exactly: size), size >= 0
        {
          found.append((digest, size))
        }
        rest += document.map(\.value)
      default: continue
      }
    }
    return found
  }
}
