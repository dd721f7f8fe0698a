/// What went wrong with an archive or a document: a code to act on, and a message that names the type, the place and the remedy.
///
/// No message shows a stored value. Errors that your own `init(from:)`, `encode(to:)` and closures throw reach you unchanged.
public struct ArchiveError: Error, Sendable, Hashable {
  /// What kind of error it is.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private let name: String

    /// The bytes are not an archive at all.
    public static let notAnArchive = Code(name: "notAnArchive")
    /// The bytes were an archive once, and were changed or cut since.
    public static let damaged = Code(name: "damaged")
    /// The archive holds a type, or a class, that is not on the allow-list.
    public static let notAllowed = Code(name: "notAllowed")
    /// The archive is larger, deeper or has more values than the limits permit.
    public static let limitExceeded = Code(name: "limitExceeded")
    /// A newer version of the program, or of Larder, wrote the archive.
    public static let newerVersion = Code(name: "newerVersion")
    /// The archive is older than its type, and no migration leads to today's version.
    public static let missingMigration = Code(name: "missingMigration")
    /// The archive holds something else than the type asks for.
    public static let invalidValue = Code(name: "invalidValue")
    /// The objects of a keyed archive refer to each other in a circle.
    public static let cycle = Code(name: "cycle")
    /// The name of a document or of a part cannot be used.
    public static let invalidName = Code(name: "invalidName")
    /// There is no such file, document or part.
    public static let notFound = Code(name: "notFound")
    /// No space is left.
    public static let diskFull = Code(name: "diskFull")
    /// The file or its folder cannot be read or written by this user.
    public static let noPermission = Code(name: "noPermission")
    /// The file system failed to read or write.
    public static let inputOutput = Code(name: "inputOutput")
    /// What was asked for cannot be done, with this value or on this file system.
    public static let unsupported = Code(name: "unsupported")

    /// The code as it is written in Swift.
    public var description: String { name }
  }

  /// What kind of error it is.
  public let code: Code
  /// The name of the type or class that the error concerns, where there is one.
  public let type: String?
  /// The place in the archive, as keys and indexes joined by points, where there is one.
  public let keyPath: String?
  /// What happened and what to do, in a sentence or two.
  public let message: String

  package init(_ code: Code, type: String? = nil, keyPath: String? = nil, _ message: String) {
    self.code = code
    self.type = type
    self.keyPath = keyPath
    self.message = message
  }
}

extension ArchiveError: CustomStringConvertible {
  /// Code, type, place and message in a line; shows no stored value.
  public var description: String {
    let place = [type, keyPath].compactMap { $0 }.joined(separator: " at ")
    return "ArchiveError.\(code): \(place.isEmpty ? "" : place + ": ")\(message)"
  }
}
