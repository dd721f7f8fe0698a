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
  private let keys: [GroupKey]
  private let limits: BatchLimits
  private var frames: FrameReader
  private var compression = BatchCompression.off
  private var sealer: FrameSealer?
  private var rowCount: UInt64 = 0
  private var attachments = AttachmentFrame()
  private var failure: BatchError?
  /// The size of the messages so far, unpacked, and of their rows in memory.
  private var size = 0
  /// The largest size, if what was read is kept.
  private let wholeSize: Int
  /// The number of bytes that arrived and aren't handed out.
  var bufferedSize: Int { frames.available }
  /// The checksum of the last frame that was handed out, which covers all before.
  var checksum: UInt64 { frames.checksum }
  /// Who sends what to whom; nil until it arrived.
  public private(set) var header: BatchHeader?

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - keys: The keys of the group, new and old. If there are any, only batches that one of them seals are taken, so
  ///     that who relays can't bring in changes of its own.
  ///   - limits: The limits of the batch.
  public init(keys: [GroupKey] = [], limits: BatchLimits = .default) {
    self.init(keys: keys, limits: limits, wholeSize: .max)
  }

  /// Creates a reader of a batch all of which is kept.
  ///
  /// - Parameter wholeSize: The largest size of what is kept.
  init(keys: [GroupKey], limits: BatchLimits, wholeSize: Int) {
    self.keys = keys
    self.limits = limits
    self.wholeSize = wholeSize
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
  /// - Throws: ``BatchError``, whose ``BatchError/offset`` says where the batch breaks a rule. `.unknownKey` or
  ///   `.notSealed` comes before any part, and `.notAuthentic` before anything that the key didn't seal.
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
    let packed = try sealer?.open(frame.payload, frame.kind) ?? frame.payload
    let message = try Packing.unpack(packed, compression, limit: limits.frameSize)
    try count(message.count)
    switch frame.kind {
    case .header, .opening:
      let opening = try BatchOpening(message, sender: header.sender, limits: limits)
      return .opening(modelsDigest: opening.modelsDigest, knowledge: opening.knowledge, names: opening.names)
    case .rows:
      let rows = try rows(message, header)
      rowCount += UInt64(rows.count)
      return .rows(rows)
    case .attachment:
      return .attachment(try attachments.piece(try WireAttachment.decoded(message)))
    case .end:
      try attachments.finish()
      let end = try WireEnd.decoded(message)
      guard end.rows == rowCount else { throw .init("\(end.rows) rows are named, and \(rowCount) arrived") }
      return .end
    }
  }

  private mutating func readHeader(_ payload: Data) throws(BatchError.Problem) -> BatchHeader {
    let message = try WireHeader.checked(payload)
    switch message.compression {
    case .none: compression = .off
    case .zlib: compression = .zlib
    case .UNRECOGNIZED: throw .init("a compression is named that the version doesn't know")
    }
    let header = try BatchHeader(message)
    self.header = header
    sealer = try sealer(header, salt: message.salt, payload)
    return header
  }

  private func sealer(
    _ header: BatchHeader, salt: Data, _ payload: Data
  ) throws(BatchError.Problem) -> FrameSealer? {
    guard let id = header.keyID else {
      if keys.isEmpty { return nil }
      throw .init("no key is named, and only sealed batches are taken", code: .notSealed)
    }
    guard let key = keys.first(where: { $0.id == id }) else {
      throw .init("a key is named that isn't among the \(keys.count) that were given", code: .unknownKey)
    }
    // The checksum was that of exactly these bytes.
    var checksum: UInt64 = 0
    let start = Data(Frame.magic) + Frame.bytes(.header, payload: payload, after: &checksum)
    return FrameSealer(key, salt: salt, start: start)
  }

  private mutating func rows(_ message: Data, _ header: BatchHeader) throws(BatchError.Problem) -> [RowState] {
    try RowColumns.check(message, limits)
    var unpacker = try RowUnpacker(try WireRows.decoded(message), sender: header.sender, limits: limits)
    try count(unpacker.sizeInMemory)
    return try unpacker.rows()
  }

  private mutating func count(_ bytes: Int) throws(BatchError.Problem) {
    size += bytes
    guard size <= wholeSize else {
      throw .init(
        "the batch takes more than the \(wholeSize) bytes of BatchLimits.wholeSize, and BatchReader reads it in parts",
        code: .limitExceeded)
    }
  }
}
