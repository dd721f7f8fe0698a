public import Foundation

extension Archive {
  /// Decodes the root of an archive by NSKeyedArchiver, in binary or XML format.
  ///
  /// The references and the name of every class are checked before anything is built. Foundation's texts, numbers,
  /// data, dates, arrays, dictionaries, sets, URLs and UUIDs are always allowed; every other class must be on the list.
  ///
  /// - Parameters:
  ///   - type: The type of the root: the type that its class is mapped to, or a container of such types.
  ///   - data: The keyed archive.
  ///   - classes: The mapping of classes. The names are those in the archive, on Linux with the module:
  ///     `MyApp.Creature`.
  ///   - root: The key of the root; `NSKeyedArchiveRootObjectKey` unless the archive was written with its own keys.
  ///   - limits: The limits of the archive.
  ///   - userInfo: The `userInfo` of the decoders, and of the objects that ``KeyedClass/building(_:)`` gets.
  /// - Returns: The decoded root.
  /// - Throws: ``ArchiveError`` `.notAnArchive`, `.damaged`, `.limitExceeded`, `.notAllowed`, `.cycle`, `.notFound` if
  ///   there is no root, `.invalidValue`; and what your closures throw.
  /// - Complexity: O(*n*), where *n* is the number of values, all of which are in memory at once.
  public static func decodeKeyed<T>(
    _ type: T.Type, from data: Data, allowing classes: [String: KeyedClass], root: String = "root",
    limits: Limits = .default, userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) throws -> T {
    guard data.count <= limits.size else {
      throw ArchiveError(
        .limitExceeded,
        "The archive has \(data.count) bytes; at most \(limits.size) are allowed. Raise Archive.Limits.size if that is meant to be."
      )
    }
    let limits = limits.forTree
    let node = try data.withUnsafeBytes { bytes in
      guard BinaryPropertyList.isOne(bytes) else { return try XMLPropertyList.parse(bytes, limits: limits) }
      let list = try BinaryPropertyList(bytes)
      try PropertyListValidator.validate(list, limits: limits, allowsKeyedArchives: true)
      return try PropertyListNode(list)
    }
    var reader = try KeyedArchiveReader(node, allowing: classes, limits: limits, userInfo: userInfo)
    return try reader.root(root).decode(type, at: KeyedPath(context: reader.context))
  }
}
