/// An error of an archive or a package: a code to act on, and a message that names the type, the place and the remedy.
///
/// Messages never show stored values. Errors that your own `init(from:)`, `encode(to:)` and closures throw reach you
/// unchanged.
public struct ArchiveError: Error, Sendable, Hashable {
  /// The kind of an error.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private let name: String

    /// The data isn't an archive.
    public static let notAnArchive = Code(name: "notAnArchive")
    /// The data was an archive, but has been changed or truncated.
    public static let damaged = Code(name: "damaged")
    /// The archive contains a type or class that isn't on the allow-list.
    public static let notAllowed = Code(name: "notAllowed")
    /// The archive exceeds a limit.
    public static let limitExceeded = Code(name: "limitExceeded")
    /// A newer version of the program, or of Larder, wrote the archive.
    public static let newerVersion = Code(name: "newerVersion")
    /// The archive is older than its type, and no migration leads to the current version.
    public static let missingMigration = Code(name: "missingMigration")
    /// The archive contains a value that doesn't fit the type.
    public static let invalidValue = Code(name: "invalidValue")
    /// The objects of a keyed archive refer to each other in a cycle.
    public static let cycle = Code(name: "cycle")
    /// The name isn't valid for a package or part, or is taken.
    public static let invalidName = Code(name: "invalidName")
    /// The file, package or part doesn't exist.
    public static let notFound = Code(name: "notFound")
    /// There is no space left on the disk.
    public static let diskFull = Code(name: "diskFull")
    /// This user may not read or write the file or its folder.
    public static let noPermission = Code(name: "noPermission")
    /// The file system failed to read or write.
    public static let inputOutput = Code(name: "inputOutput")
    /// The operation isn't possible with this value or on this file system.
    public static let unsupported = Code(name: "unsupported")

    /// The code as it is written in Swift.
    public var description: String { name }
  }

  /// The kind of the error.
  public let code: Code
  /// The name of the type or class, if the error concerns one.
  public let type: String?
  /// The place in the archive, as keys and indexes joined by points, if the error has one.
  public let keyPath: String?
  /// A sentence or two that say what happened and what to do.
  public let message: String

  package init(_ code: Code, type: String? = nil, keyPath: String? = nil, _ message: String) {
    self.code = code
    self.type = type
    self.keyPath = keyPath
    self.message = message
  }
}

extension ArchiveError: CustomStringConvertible {
  /// The code, type, place and message in one line, without stored values.
  public var description: String {
    let place = [type, keyPath].compactMap { $0 }.joined(separator: " at ")
    return "ArchiveError.\(code): \(place.isEmpty ? "" : place + ": ")\(message)"
  }
}
