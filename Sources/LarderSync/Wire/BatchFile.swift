public import Foundation

/// A batch in a file, which is taken whole or not at all: the file is checked from its beginning to its end before the
/// first part is handed out. It holds one frame at a time.
///
/// ```swift
/// var file = try BatchFile(at: url)
/// while let part = try file.next() { … }
/// ```
public struct BatchFile {
  /// The number of bytes that are read at a time.
  private static let chunkSize = 128 << 10

  /// Who sends what to whom.
  public let header: BatchHeader
  /// The number of rows.
  public let rowCount: Int
  private let handle: FileHandle
  private var reader: BatchReader
  /// The checksum of the last frame, which covers all others.
  private let checksum: UInt64

  /// Opens a file and checks all of it.
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - keys: The keys of the group, new and old. If there are any, only batches that one of them seals are taken.
  ///   - limits: The limits of the batch.
  /// - Throws: ``BatchError``, whose ``BatchError/offset`` says where the batch breaks a rule; `.inputOutput` if the file
  ///   can't be read.
  /// - Complexity: O(*n*) of the file, which is read once here and once more by ``next()``.
  public init(at url: URL, keys: [GroupKey] = [], limits: BatchLimits = .default) throws {
    try self.init(at: url, keys: keys, limits: limits) { _, _ in }
  }

  /// Opens a file and checks all of it, and lets the closure check each part too.
  init(
    at url: URL, keys: [GroupKey], limits: BatchLimits, checking check: (BatchPart, BatchHeader) throws -> Void
  ) throws {
    handle = try Self.reporting { try FileHandle(forReadingFrom: url) }
    var checking = BatchReader(keys: keys, limits: limits)
    var count = 0
    while let part = try Self.next(&checking, handle) {
      if case .rows(let rows) = part { count += rows.count }
      if let header = checking.header { try check(part, header) }
    }
    guard let header = checking.header else { preconditionFailure("every whole batch has a header") }
    checksum = checking.checksum
    let handle = handle
    try Self.reporting { try handle.seek(toOffset: 0) }
    self.header = header
    rowCount = count
    reader = BatchReader(keys: keys, limits: limits)
  }

  /// Returns the next part; nil after the end.
  ///
  /// - Throws: ``BatchError`` if the file was changed since it was opened, or can't be read.
  public mutating func next() throws -> BatchPart? {
    try Self.next(&reader, handle)
  }

  /// Whether the parts that were handed out are those that were checked, once all of them were.
  var isAsVerified: Bool { reader.checksum == checksum }

  private static func next(_ reader: inout BatchReader, _ handle: FileHandle) throws -> BatchPart? {
    while true {
      if let part = try reader.next() { return part }
      let chunk = try reporting { try handle.read(upToCount: chunkSize) }
      guard let chunk, !chunk.isEmpty else {
        try reader.finish()
        return nil
      }
      reader.append(chunk)
    }
  }

  private static func reporting<Result>(_ body: () throws -> Result) throws(BatchError) -> Result {
    do {
      return try body()
    } catch {
      throw BatchError(.inputOutput, "The file can't be read: check that it exists and that you may read it.")
    }
  }
}
