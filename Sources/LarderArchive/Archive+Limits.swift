extension Archive {
  /// Limits on the cost of reading and writing an archive, checked before anything is built.
  public struct Limits: Sendable, Hashable {
    /// The largest size of the archive in bytes, including its header.
    public var size: Int
    /// The largest depth of nested containers.
    public var depth: Int
    /// The largest number of values, including keys. A shared value counts once for each reference.
    public var count: Int
    /// The largest size of all texts and data in bytes. Shared values count once for each reference.
    public var expandedSize: Int

    /// Creates limits.
    ///
    /// The defaults suit a large document of an app: 64 MiB, a depth of 100 containers (a level of a recursive type is
    /// one or two of them), 2,000,000 values and 256 MiB of texts and data. Each level takes a few hundred bytes to
    /// some kilobytes of stack; running out of stack also throws `.limitExceeded`.
    ///
    /// - Parameters:
    ///   - size: The largest size of the archive in bytes.
    ///   - depth: The largest depth of nested containers.
    ///   - count: The largest number of values, including keys.
    ///   - expandedSize: The largest size of all texts and data in bytes.
    public init(size: Int = 64 << 20, depth: Int = 100, count: Int = 2_000_000, expandedSize: Int = 256 << 20) {
      self.size = size
      self.depth = depth
      self.count = count
      self.expandedSize = expandedSize
    }

    /// The default limits.
    public static let `default` = Limits()
  }
}

extension Archive.Limits {
  /// These limits for an archive that is read into a tree: no deeper than can be released on this stack.
  ///
  /// A value that others share is only read once, so the recursion that reads a tree may be less deep than the tree.
  var forTree: Archive.Limits {
    var limits = self
    limits.depth = min(depth, StackBounds.current.levelsOfTree)
    return limits
  }
}
