internal import Foundation

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
  /// The largest size of a batch in bytes, unpacked and in memory, if it is read as one ``ChangeBatch``.
  ///
  /// Besides the bytes of its messages, each row counts 256 bytes, each value, lost value and contribution to a counter
  /// 80, and each text or blob of more than 14 bytes 96.
  public var wholeSize: Int

  /// Creates limits.
  ///
  /// - Parameters:
  ///   - frameSize: The largest size of a frame in bytes; at most 4 GiB less one byte.
  ///   - rows: The largest number of rows in a frame.
  ///   - values: The largest number of values in a frame.
  ///   - names: The largest number of replicas, of names, and of shapes of rows in a frame.
  ///   - wholeSize: The largest size of a batch in bytes, unpacked and in memory, if it is read as one ``ChangeBatch``.
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

  /// About how many bytes a row takes in memory, without its values.
  private static let rowSize = 256
  /// About how many bytes a value takes with its name and its stamp, and a contribution to a counter.
  private static let valueSize = 80
  /// About how many bytes the storage of a text or blob takes, besides its contents.
  private static let storageSize = 96
  /// The most bytes that `Data` holds without storage.
  private static let inlineSize = 14

  /// About how many bytes rows take in memory, without the contents of texts and blobs.
  ///
  /// - Parameters:
  ///   - rows: The number of rows.
  ///   - values: The number of values, and of contributions to counters.
  ///   - lengths: The lengths of the texts and blobs.
  static func sizeInMemory(rows: Int, values: Int, lengths: some Sequence<Int>) -> Int {
    let stored = lengths.reduce(0) { $1 > inlineSize ? $0 + 1 : $0 }
    return rows * rowSize + values * valueSize + stored * storageSize
  }

  /// The default limits.
  public static let `default` = BatchLimits()
}

extension RowState {
  /// About how many bytes the row takes in memory, without the contents of texts and blobs.
  var sizeInMemory: Int {
    let values = key + properties.map(\.value) + losses.map(\.value)
    let lengths = values.lazy.map { (value: ReplicatedValue) -> Int in
      switch value {
      case .text(let bytes), .blob(let bytes): bytes.count
      case .null, .integer, .real: 0
      }
    }
    return BatchLimits.sizeInMemory(rows: 1, values: values.count + contributions.count, lengths: lengths)
  }
}
