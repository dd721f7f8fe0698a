package import Foundation

/// Contents for tools that know none of the types.
extension ArchiveValue {
  /// Reads the tree of an archive, whatever its types are. Nothing of them is built.
  ///
  /// - Parameters:
  ///   - data: The archive.
  ///   - limits: The limits of the archive.
  /// - Returns: The types of the archive, the root's first, and the tree.
  /// - Throws: ``ArchiveError`` `.notAnArchive`, `.damaged`, `.newerVersion` or `.limitExceeded`.
  package static func tree(
    ofArchive data: Data, limits: Archive.Limits = .default
  ) throws -> (types: [ArchiveHeader.TypeEntry], value: ArchiveValue) {
    let header = try data.withUnsafeBytes { try ArchiveHeader(of: $0, limits: limits) }
    let node = try data.withUnsafeBytes { bytes in
      let list = try BinaryPropertyList(UnsafeRawBufferPointer(rebasing: bytes[header.payload]))
      try PropertyListValidator.validate(list, limits: limits.forTree)
      return try PropertyListNode(list)
    }
    return (header.types, try ArchiveValue(PropertyListPayload.root(of: node)))
  }

  /// Reads a property list, binary or XML. The references of a keyed archive become dictionaries with `CF$UID`.
  ///
  /// - Parameters:
  ///   - data: The property list.
  ///   - limits: The limits of the list.
  /// - Throws: ``ArchiveError`` `.notAnArchive`, `.damaged` or `.limitExceeded`.
  package init(propertyList data: Data, limits: Archive.Limits = .default) throws {
    guard data.count <= limits.size else { throw ArchiveError.tooLong(data.count, limits) }
    let limits = limits.forTree
    let node = try data.withUnsafeBytes { bytes in
      guard BinaryPropertyList.isOne(bytes) else { return try XMLPropertyList.parse(bytes, limits: limits) }
      let list = try BinaryPropertyList(bytes)
      try PropertyListValidator.validate(list, limits: limits, allowsKeyedArchives: true)
      return try PropertyListNode(list)
    }
    self = try ArchiveValue(node.withPlainReferences)
  }
}

extension PropertyListNode {
  /// The list with each UID as the dictionary that stands for it in XML.
  fileprivate var withPlainReferences: PropertyListNode {
    switch self {
    case .uid(let number): .dictionary(["CF$UID": .integer(Int64(number))])
    case .array(let elements): .array(elements.map(\.withPlainReferences))
    case .dictionary(let entries): .dictionary(entries.mapValues(\.withPlainReferences))
    default: self
    }
  }
}
