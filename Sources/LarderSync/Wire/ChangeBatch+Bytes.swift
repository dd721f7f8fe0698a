public import Foundation

extension ChangeBatch {
  /// Returns the batch as bytes.
  ///
  /// - Parameters:
  ///   - key: The key that seals the batch; nil if it isn't sealed.
  ///   - compression: How the frames are compressed. Without a value, sealed batches aren't.
  /// - Throws: ``BatchError`` `.invalidValue` if a part of the batch contradicts itself, `.limitExceeded` if a row is too
  ///   large.
  public func encoded(key: GroupKey? = nil, compression: BatchCompression? = nil) throws -> Data {
    var writer = try BatchWriter(
      header, modelsDigest: modelsDigest, knowledge: knowledge, names: names, key: key, compression: compression)
    var bytes = Data()
    for row in rows {
      if let piece = try writer.append(row) { bytes.append(piece) }
    }
    bytes.append(try writer.finish())
    return bytes
  }

  /// Reads a batch as a whole.
  ///
  /// - Parameters:
  ///   - bytes: The bytes, and nothing after them.
  ///   - keys: The keys of the group, new and old. If there are any, only batches that one of them seals are taken.
  ///   - limits: The limits of the batch.
  /// - Throws: ``BatchError``, whose ``BatchError/offset`` says where the batch breaks a rule.
  public init(decoding bytes: Data, keys: [GroupKey] = [], limits: BatchLimits = .default) throws {
    var reader = BatchReader(keys: keys, limits: limits, wholeSize: limits.wholeSize)
    reader.append(bytes)
    guard case .header(let header)? = try reader.next(),
      case .opening(let modelsDigest, let knowledge, let names)? = try reader.next()
    else {
      try reader.finish()
      throw BatchError(.damaged, "The batch has no header. Have it sent again.")
    }
    var (rows, rowKeys): ([RowState], Set<RowKey>) = ([], [])
    while let next = try reader.next(), next != .end {
      guard case .rows(let part) = next else {
        throw BatchError(
          .invalid, "The batch carries attachments. Read it from a file with BatchFile, or import it into a store.")
      }
      guard part.allSatisfy({ rowKeys.insert($0.rowKey).inserted }) else {
        throw BatchError(.invalid, "A row is in two frames of the batch. The program that wrote it is at fault.")
      }
      rows += part
    }
    // After the end, this finds bytes that don't belong to the batch.
    _ = try reader.next()
    try reader.finish()
    self.init(
      since: header.since, upTo: header.upTo, recipient: header.recipient, isLast: header.isLast,
      modelsDigest: modelsDigest, rows: rows, knowledge: knowledge, names: names, forgotten: header.forgotten,
      received: header.received)
  }
}
