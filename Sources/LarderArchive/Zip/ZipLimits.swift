/// Limits on the cost of reading a zip file. Its structure is checked before anything is written, and its content while
/// it is decompressed.
public struct ZipLimits: Sendable, Hashable {
  /// The largest number of entries, including folders.
  public var entries: Int
  /// The largest decompressed size of one part in bytes.
  public var partSize: Int
  /// The largest decompressed size of all parts together in bytes.
  public var totalSize: Int
  /// The largest ratio of decompressed to compressed size for a part above 1 MiB.
  public var ratio: Int

  /// Creates limits.
  ///
  /// The defaults suit a large document of an app: 10,000 entries, 1 GiB for a part and for all together, and 250 times
  /// the compressed size. Files written by ``PackageSnapshot/writeZip(to:limits:)`` can be read with the limits they
  /// were written with.
  ///
  /// - Parameters:
  ///   - entries: The largest number of entries, including folders.
  ///   - partSize: The largest decompressed size of one part in bytes.
  ///   - totalSize: The largest decompressed size of all parts together in bytes.
  ///   - ratio: The largest ratio of decompressed to compressed size for a part above 1 MiB.
  public init(entries: Int = 10_000, partSize: Int = 1 << 30, totalSize: Int = 1 << 30, ratio: Int = 250) {
    self.entries = entries
    self.partSize = partSize
    self.totalSize = totalSize
    self.ratio = ratio
  }

  /// The default limits.
  public static let `default` = ZipLimits()

  /// Parts up to this size may have any compression ratio.
  static let sizeWithoutRatio = 1 << 20

  /// Returns whether a part of this size may have this compressed size.
  func allows(_ size: UInt64, from compressedSize: UInt64) -> Bool {
    size <= UInt64(Self.sizeWithoutRatio) || size / UInt64(max(1, ratio)) <= compressedSize
  }

  func exceeded(_ problem: String, _ limit: String, at place: String? = nil) -> ArchiveError {
    ArchiveError(.limitExceeded, keyPath: place, "\(problem). Raise ZipLimits.\(limit) if that is meant to be.")
  }
}
