public import Foundation

/// Reads changes from bytes that arrive piece by piece. It holds one frame at a time.
///
/// ```swift
/// var reader = BatchReader()
/// for try await chunk in chunks {
///   try reader.append(chunk)
///   while let part = try reader.next() { … }
/// }
/// try reader.finish()
/// ```
///
/// Each part is checked as a whole before it is handed out, but what comes after it can still be damaged. To take all
/// of a batch or nothing, read it from a file with ``BatchFile``, or as one ``ChangeBatch``.
///
/// A reader that has thrown an error throws it again.
public struct BatchReader: Sendable {
  private let limits: BatchLimits
  private var frames: FrameReader
  private var compression = BatchCompression.none
  private var rowCount: UInt64 = 0
  private var failure: BatchError?
  /// The size of the messages so far, unpacked.
  private(set) var unpackedSize = 0
  /// Who sends what to whom; nil until it arrived.
  public private(set) var header: BatchHeader?

  /// Creates a reader.
  ///
  /// - Parameter limits: The limits of the batch.
  public init(limits: BatchLimits = .default) {
    self.limits = limits
    frames = FrameReader(limits: limits)
  }

  /// Adds bytes that arrived.
  ///
  /// - Parameter chunk: The bytes, of any number. Take the parts out before the next ones are added.
  public mutating func append(_ chunk: Data) {
    if failure == nil { frames.append(chunk) }
  }

  /// Returns the next part; nil if more bytes must arrive first, or after the end.
  ///
  /// - Throws: ``BatchError``, whose ``BatchError/offset`` says where the batch breaks a rule.
  public mutating func next() throws -> BatchPart? {
    try reporting { reader throws(BatchError) in
      guard let frame = try reader.frames.next() else { return nil }
      do throws(BatchError.Problem) {
        return try reader.part(frame)
      } catch {
        throw error.error(at: frame.offset, in: frame.kind.name)
      }
    }
  }

  /// Checks that the batch is whole. Call it after the last bytes, when ``next()`` returns nil.
  ///
  /// - Throws: ``BatchError`` `.damaged` if it isn't, `.notABatch` if it hasn't even begun.
  public mutating func finish() throws {
    try reporting { reader throws(BatchError) in try reader.frames.finish() }
  }

  private mutating func reporting<Result>(
    _ body: (inout BatchReader) throws(BatchError) -> Result
  ) throws(BatchError) -> Result {
    if let failure { throw failure }
    do throws(BatchError) {
      return try body(&self)
    } catch {
      failure = error
      frames = FrameReader(limits: limits)
      throw error
    }
  }

  private mutating func part(_ frame: FrameReader.Arrived) throws(BatchError.Problem) -> BatchPart {
    guard let header else { return .header(try readHeader(frame.payload)) }
    let message = try Packing.unpack(frame.payload, compression, limit: limits.frameSize)
    unpackedSize += message.count
    switch frame.kind {
    case .header, .opening:
      let opening = try BatchOpening(message, sender: header.sender, limits: limits)
      return .opening(modelsDigest: opening.modelsDigest, knowledge: opening.knowledge)
    case .rows:
      let rows = try rows(message, header)
      rowCount += UInt64(rows.count)
      return .rows(rows)
    case .end:
      let end = try WireEnd.decoded(message)
      guard end.rows == rowCount else { throw .init("\(end.rows) rows are named, and \(rowCount) arrived") }
      return .end
    }
  }

  private mutating func readHeader(_ payload: Data) throws(BatchError.Problem) -> BatchHeader {
    let message = try WireHeader.decoded(payload, ignoresUnknownFields: true)
    guard message.version <= BatchHeader.formatVersion else {
      throw .init(
        "version \(message.version) of the format is named, and this program knows versions up to \(BatchHeader.formatVersion)",
        code: .newerVersion)
    }
    guard message.version > 0 else { throw .init("the version is missing") }
    switch message.compression {
    case .none: compression = .none
    case .zlib: compression = .zlib
    case .UNRECOGNIZED: throw .init("a compression is named that the version doesn't know")
    }
    let header = try BatchHeader(message)
    self.header = header
    return header
  }

  private func rows(_ message: Data, _ header: BatchHeader) throws(BatchError.Problem) -> [RowState] {
    try RowColumns.check(message, limits)
    var unpacker = try RowUnpacker(try WireRows.decoded(message), sender: header.sender, limits: limits)
    return try unpacker.rows()
  }
}
