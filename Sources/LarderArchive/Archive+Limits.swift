extension Archive {
  /// What an archive may cost its reader, and its writer; counted before anything is built or kept.
  public struct Limits: Sendable, Hashable {
    /// The largest archive in bytes, header included.
    public var size: Int
    /// How many containers may lie in one another.
    public var depth: Int
    /// How many values there may be, keys included; a value that is shared counts once for each place that holds it.
    public var count: Int
    /// The bytes of all texts and data together; what is shared counts once for each place that holds it.
    public var expandedSize: Int

    /// Limits for one decoding.
    ///
    /// The defaults fit a large document of an app: 64 MiB, 100 containers deep (a level of a recursive type is one or two of them), 2,000,000 values and
    /// 256 MiB of texts and data. Each level takes a few hundred bytes to some kilobytes of stack; what the thread has no room for is `.limitExceeded` as well.
    public init(size: Int = 64 << 20, depth: Int = 100, count: Int = 2_000_000, expandedSize: Int = 256 << 20) {
      self.size = size
      self.depth = depth
      self.count = count
      self.expandedSize = expandedSize
    }

    /// The limits that are used where none are given.
    public static let `default` = Limits()
  }
}
