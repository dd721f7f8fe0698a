/// What a zip file may cost its reader; the structure of the file is counted before anything is written, and its content while it unfolds.
public struct ZipLimits: Sendable, Hashable {
  /// How many entries there may be, folders included.
  public var entries: Int
  /// The most bytes of one part, unfolded.
  public var partSize: Int
  /// The most bytes of all parts together, unfolded.
  public var totalSize: Int
  /// How many times its compressed size a part above 1 MiB may unfold to.
  public var ratio: Int

  /// Limits for one zip file.
  ///
  /// The defaults fit a large document of an app: 10,000 entries, 1 GiB for a part and for all together, and 250 times the compressed size. The zip
  /// files that ``DocumentSnapshot/writeZip(to:limits:)`` writes keep within the limits of their writing.
  public init(entries: Int = 10_000, partSize: Int = 1 << 30, totalSize: Int = 1 << 30, ratio: Int = 250) {
    self.entries = entries
    self.partSize = partSize
    self.totalSize = totalSize
    self.ratio = ratio
  }

  /// The limits that are used where none are given.
  public static let `default` = ZipLimits()

  /// Parts up to this size may unfold from any number of bytes.
  static let sizeWithoutRatio = 1 << 20

  /// Whether a part of this size may be compressed to so few bytes.
  func allows(_ size: UInt64, from compressedSize: UInt64) -> Bool {
    size <= UInt64(Self.sizeWithoutRatio) || size / UInt64(max(1, ratio)) <= compressedSize
  }

  func exceeded(_ problem: String, _ limit: String, at place: String? = nil) -> ArchiveError {
    ArchiveError(.limitExceeded, keyPath: place, "\(problem). Raise ZipLimits.\(limit) if that is meant to be.")
  }
}
