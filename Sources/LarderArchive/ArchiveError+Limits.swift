/// The errors of limits, for reading and writing.
extension ArchiveError {
  static func tooMany(_ limits: Archive.Limits) -> ArchiveError {
    exceeded("The archive has more than \(limits.count) values", "count")
  }

  static func tooDeep(_ limits: Archive.Limits) -> ArchiveError {
    // The stack may have lowered the limit.
    ArchiveError(
      .limitExceeded,
      "The archive is more than \(limits.depth) containers deep. Raise Archive.Limits.depth, for writing and for reading, or use a thread with a larger stack, if that is meant to be."
    )
  }

  static func tooLarge(_ limits: Archive.Limits) -> ArchiveError {
    exceeded("The archive unfolds to more than \(limits.expandedSize) bytes of texts and data", "expandedSize")
  }

  static func tooLong(_ size: Int, _ limits: Archive.Limits) -> ArchiveError {
    exceeded("The archive has \(size) bytes; at most \(limits.size) are allowed", "size")
  }

  private static func exceeded(_ problem: String, _ limit: String) -> ArchiveError {
    ArchiveError(
      .limitExceeded, "\(problem). Raise Archive.Limits.\(limit), for writing and for reading, if that is meant to be.")
  }
}
