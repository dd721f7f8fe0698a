public import Foundation

extension Archive {
  /// The root of an archive that NSKeyedArchiver wrote, as a binary or an XML property list.
  ///
  /// The graph is followed and the name of every class in it is checked before anything is built. Foundation's texts, numbers, data, dates, arrays,
  /// dictionaries, sets, URLs and UUIDs need no leave; every other class must be on the list.
  ///
  /// Throws ``ArchiveError``: `.notAnArchive`, `.damaged`, `.limitExceeded`, `.notAllowed`, `.cycle`, `.notFound` for the root, `.invalidValue`; what your
  /// closures throw reaches you unchanged. O(values), all of which are in memory at once.
  ///
  /// - Parameters:
  ///   - type: What the root becomes: what its class is mapped to, or a container of such.
  ///   - data: The keyed archive.
  ///   - classes: What becomes of which class. The names are those in the archive, on Linux with the module: `MyApp.Creature`.
  ///   - root: The key of the root; `NSKeyedArchiveRootObjectKey` unless the archive was written with keys of its own.
  ///   - limits: What the archive may cost.
  public static func decodeKeyed<T>(
    _ type: T.Type, from data: Data, allowing classes: [String: KeyedClass], root: String = "root", limits: Limits = .default
  ) throws -> T {
    guard data.count <= limits.size else {
      throw ArchiveError(
        .limitExceeded, "The archive has \(data.count) bytes; at most \(limits.size) are allowed. Raise Archive.Limits.size if that is meant to be.")
    }
    let node = try data.withUnsafeBytes { bytes in
      guard BinaryPropertyList.isOne(bytes) else { return try XMLPropertyList.parse(bytes, limits: limits) }
      let list = try BinaryPropertyList(bytes)
      try PropertyListValidator.validate(list, limits: limits, allowsKeyedArchives: true)
      return try PropertyListNode(list)
    }
    var reader = try KeyedArchiveReader(node, allowing: classes, limits: limits)
    return try reader.root(root).decode(type)
  }
}
