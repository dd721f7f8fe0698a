public import Foundation
import Larder

extension StoreSync {
  /// Writes the changes that a replica lacks to a file.
  ///
  /// ```swift
  /// let file = try await store.sync.export(to: url, for: peer)
  /// ```
  ///
  /// Every change that came from a replica tells what it has of this file, so the next file for it begins there, and
  /// leaves out what it sent itself. A replica that never sends anything back gets everything each time, unless you
  /// pass where the last file ended.
  ///
  /// The file takes its name when it is whole and on the disk; a file that is there is replaced. Others read and write
  /// meanwhile.
  ///
  /// - Parameters:
  ///   - url: Where the file is written.
  ///   - recipient: The replica that gets the file; nil for everybody.
  ///   - cursor: Where the changes begin; nil for what the recipient is known to have.
  ///   - key: The key that seals the file; nil if it isn't sealed.
  /// - Returns: What the file has.
  /// - Throws: `StoreError` `.unsupported` if sync is off in the file, `.notFound` for a recipient that was away for longer than
  ///   deletions are kept, `.invalidValue` for a cursor of another replica
  ///   and for this replica as the recipient, `.diskFull` and `.inputOutput` if the file can't be written;
  ///   ``BatchError`` `.limitExceeded` for a row that is too large; the errors of any read. No file is left then.
  /// - Complexity: O(*n*) of the changes. It holds a part of them at a time.
  @discardableResult
  public func export(
    to url: URL, for recipient: ReplicaID? = nil, since cursor: ChangeCursor? = nil, key: GroupKey? = nil
  ) async throws -> SyncFile {
    let own = try await replica()
    guard recipient != own else {
      throw StoreError(
        .invalidValue, ofModel: nil,
        "A file for this replica itself was asked for. Name the replica that imports it, or leave the name out.")
    }
    let file = try await store.readingModule { connection in
      let file = try ReplicaFile(connection)
      let since = try cursor ?? ChangeCursor(replica: try file.own(), position: recipient.map(file.told) ?? 0)
      try file.check(since)
      guard try since.position == 0 || since.position >= file.forgotten() else { throw file.tooLate }
      return try file.export(to: url, for: recipient, since: since, key: key)
    }
    try await confirmIdentity()
    return file
  }
}

extension ReplicaFile {
  /// The rows that are read first, and about how many bytes are read at a time then.
  private static let (firstPage, pageSize) = (16, 1 << 20)

  /// Writes changes to a file. All reads see the same commit.
  fileprivate func export(
    to url: URL, for recipient: ReplicaID?, since: ChangeCursor, key: GroupKey?
  ) throws -> SyncFile {
    let end = ChangeCursor(replica: since.replica, position: try clock().now)
    var writer = try BatchWriter(
      BatchHeader(since: since, upTo: end, recipient: recipient, isLast: true),
      modelsDigest: ModelsDigest.exchange(of: tables),
      knowledge: try knowledge(after: since.position, upTo: end.position),
      names: try names(after: since.position, upTo: end.position), key: key)
    let file = try NewFile(at: url.path(percentEncoded: false), mode: mode)
    let recipientID = try recipient.flatMap(knownID)
    var (position, count, limit) = (since.position, 0, Self.firstPage)
    while true {
      let rows = try rows(after: position, upTo: end.position, limit: limit, exceptFrom: recipientID)
      guard let last = rows.last else { break }
      for row in rows {
        if let bytes = try writer.append(row.state) { try file.write(bytes) }
      }
      (position, count) = (last.position, count + rows.count)
      let size = rows.reduce(1) { $0 + $1.state.size } / rows.count + 1
      limit = max(1, min(StoreSync.batchSize, Self.pageSize / size))
    }
    try file.write(writer.finish())
    try file.place()
    return SyncFile(url: url, recipient: recipient, since: since, upTo: end, rows: count, size: file.size)
  }

  /// The permissions of the store's file, as far as they are about reading and writing.
  private var mode: mode_t {
    let attributes = connection.filePath.flatMap { try? FileManager.default.attributesOfItem(atPath: $0) }
    let mode = attributes?[.posixPermissions] as? Int ?? 0
    return mode_t(mode & 0o666 | 0o600)
  }
}

extension RowState {
  /// The bytes of the texts and blobs of the properties.
  fileprivate var size: Int {
    properties.reduce(0) { size, property in
      switch property.value {
      case .text(let bytes), .blob(let bytes): size + bytes.count
      case .null, .integer, .real: size
      }
    }
  }
}
