/// Limits on the cost of reading a batch, checked before anything is allocated.
///
/// A reader holds one frame at a time, so the memory that it needs depends on the limits of a frame and not on the size
/// of the batch. A writer makes frames of about 256 KiB; a single row with more makes a frame of its own.
public struct BatchLimits: Sendable, Hashable {
  /// The largest size of a frame in bytes, packed and unpacked. It limits the size of a row.
  public var frameSize: Int
  /// The largest number of rows in a frame.
  public var rows: Int
  /// The largest number of values in a frame, and of pieces of knowledge in a batch.
  public var values: Int
  /// The largest number of replicas, of names, and of shapes of rows in a frame.
  public var names: Int
  /// The largest size of a batch in bytes, unpacked, if it is read as one ``ChangeBatch``.
  public var wholeSize: Int

  /// Creates limits.
  ///
  /// - Parameters:
  ///   - frameSize: The largest size of a frame in bytes; at most 4 GiB less one byte.
  ///   - rows: The largest number of rows in a frame.
  ///   - values: The largest number of values in a frame.
  ///   - names: The largest number of replicas, of names, and of shapes of rows in a frame.
  ///   - wholeSize: The largest size of a batch in bytes, unpacked, if it is read as one ``ChangeBatch``.
  public init(
    frameSize: Int = 64 << 20, rows: Int = 1 << 16, values: Int = 1 << 20, names: Int = 1 << 16,
    wholeSize: Int = 256 << 20
  ) {
    self.frameSize = Swift.min(frameSize, Int(clamping: UInt32.max))
    self.rows = rows
    self.values = values
    self.names = names
    self.wholeSize = wholeSize
  }

  /// The default limits.
  public static let `default` = BatchLimits()
}
