package import Foundation

/// What stands before the property list of an archive.
///
/// All numbers are big-endian, as in the property list behind it:
///
/// | offset | bytes | |
/// | --- | --- | --- |
/// | 0 | 8 | magic: 89 4C 41 52 0D 0A 1A 0A |
/// | 8 | 2 | version of this format: 2 if the payload has members that are ``Archivable``, otherwise 1 |
/// | 10 | 2 | zero |
/// | 12 | 4 | length of the header |
/// | 16 | 8 | length of the payload |
/// | 24 | 8 | CRC-64/XZ of the archive without these eight bytes |
/// | 32 | 2 | number of types, at least one |
/// | 34 | … | for each type: version (4), length of the tag (2), tag in UTF-8; the first is that of the whole archive |
///
/// The magic is made as PNG's is (RFC 2083, 3.1): its bytes show at once whether a transfer changed line ends or the
/// eighth bit.
package struct ArchiveHeader: Sendable {
  package struct TypeEntry: Sendable, Hashable {
    package var tag: String
    package var version: Int

    package init(tag: String, version: Int) {
      self.tag = tag
      self.version = version
    }

    /// Throws ``ArchiveError`` `.unsupported` for a tag or a version that no archive can have.
    func check() throws {
      guard tag.utf8.isEmpty || tag.utf8.count > longestTag || UInt32(exactly: version) == nil else { return }
      throw ArchiveError(
        .unsupported, type: tag,
        "A tag has 1 to \(longestTag) bytes, and a version is a number from 0. Conform the type to Archivable and give it such ones."
      )
    }
  }

  static let magic: [UInt8] = [0x89, 0x4c, 0x41, 0x52, 0x0d, 0x0a, 0x1a, 0x0a]
  /// The newest version of the format.
  static let formatVersion = 2
  static let fixedLength = 34
  package static let checksumOffset = 24
  static let longestTag = 1024
  static let mostTypes = 4096

  /// Whether a member that is ``Archivable`` has a version in the payload, unless it is 1. Archives that were written
  /// before there were such versions have format 1, as those without such members.
  package var membersHaveVersions: Bool
  package var types: [TypeEntry]
  package var payload: Range<Int>

  /// Returns an archive: header, payload and checksum. Copies the payload once.
  ///
  /// - Parameters:
  ///   - payload: The property list.
  ///   - types: The types of the archive, the root's first.
  ///   - membersHaveVersions: Whether there are members that are ``Archivable``.
  ///   - limits: The limits of the archive.
  package static func seal(
    _ payload: Data, types: [TypeEntry], membersHaveVersions: Bool, limits: Archive.Limits = .default
  ) throws -> Data {
    guard types.count <= mostTypes else {
      throw ArchiveError(.unsupported, "The value holds more than \(mostTypes) types in Archived. Archive it in parts.")
    }
    var table: [UInt8] = []
    for type in types {
      try type.check()
      let tag = Array(type.tag.utf8)
      table.append(bigEndian: UInt32(type.version))
      table.append(bigEndian: UInt16(tag.count))
      table += tag
    }
    let size = fixedLength + table.count + payload.count
    guard size <= limits.size else { throw ArchiveError.tooLong(size, limits) }
    var head = magic
    head.append(bigEndian: UInt16(membersHaveVersions ? 2 : 1))
    head.append(bigEndian: UInt16(0))
    head.append(bigEndian: UInt32(fixedLength + table.count))
    head.append(bigEndian: UInt64(payload.count))
    var tail: [UInt8] = []
    tail.append(bigEndian: UInt16(types.count))
    tail += table

    var crc = CRC64()
    head.withUnsafeBytes { crc.update($0) }
    tail.withUnsafeBytes { crc.update($0) }
    payload.withUnsafeBytes { crc.update($0) }

    head.append(bigEndian: crc.value)
    var data = Data(capacity: head.count + tail.count + payload.count)
    data.append(contentsOf: head)
    data.append(contentsOf: tail)
    data.append(payload)
    return data
  }

  /// Reads and checks everything before the payload, and the checksum of the archive, without building anything.
  ///
  /// Throws ``ArchiveError`` `.limitExceeded`, `.notAnArchive`, `.newerVersion` or `.damaged`. O(size).
  package init(of bytes: UnsafeRawBufferPointer, limits: Archive.Limits) throws {
    guard bytes.count <= limits.size else { throw ArchiveError.tooLong(bytes.count, limits) }
    guard bytes.count >= 8, zip(bytes, Self.magic).allSatisfy({ $0 == $1 }) else {
      throw ArchiveError(.notAnArchive, "The bytes are not an archive. Read what Archive.encode or Archive.write made.")
    }
    guard bytes.count >= Self.fixedLength else { throw Self.damaged("ends in its header") }
    let format = Int(bytes.bigEndian(UInt16.self, at: 8))
    guard (1...Self.formatVersion).contains(format) else {
      throw ArchiveError(
        format > Self.formatVersion ? .newerVersion : .damaged,
        "The archive has format \(format); this version reads formats up to \(Self.formatVersion). Read it with the version that wrote it, or a newer one."
      )
    }
    membersHaveVersions = format > 1
    let length = UInt64(bytes.bigEndian(UInt32.self, at: 12))
    let payloadLength = bytes.bigEndian(UInt64.self, at: 16)
    let (total, overflow) = length.addingReportingOverflow(payloadLength)
    guard !overflow, total == UInt64(bytes.count), length >= UInt64(Self.fixedLength),
      bytes.bigEndian(UInt16.self, at: 10) == 0
    else {
      throw Self.damaged("is not as long as its header says")
    }
    guard Self.checksum(of: bytes) == bytes.bigEndian(UInt64.self, at: Self.checksumOffset) else {
      throw Self.damaged("does not have the checksum that its header names")
    }
    payload = Int(length)..<bytes.count
    types = try Self.types(in: UnsafeRawBufferPointer(rebasing: bytes[..<Int(length)]))
  }

  private static func types(in header: UnsafeRawBufferPointer) throws -> [TypeEntry] {
    let count = Int(header.bigEndian(UInt16.self, at: 32))
    guard count > 0, count <= mostTypes else { throw damaged("names no type, or too many") }
    var types: [TypeEntry] = []
    var offset = fixedLength
    for _ in 0..<count {
      guard offset + 6 <= header.count else { throw damaged("ends in its types") }
      let version = Int(header.bigEndian(UInt32.self, at: offset))
      let length = Int(header.bigEndian(UInt16.self, at: offset + 4))
      offset += 6
      guard length > 0, length <= longestTag, offset + length <= header.count,
        let tag = String(validating: header[offset..<offset + length], as: UTF8.self)
      else { throw damaged("has a type without a proper name") }
      types.append(TypeEntry(tag: tag, version: version))
      offset += length
    }
    guard offset == header.count else { throw damaged("has more in its header than the header says") }
    return types
  }

  package static func checksum(of archive: UnsafeRawBufferPointer) -> UInt64 {
    var crc = CRC64()
    crc.update(UnsafeRawBufferPointer(rebasing: archive[..<checksumOffset]))
    crc.update(UnsafeRawBufferPointer(rebasing: archive[(checksumOffset + 8)...]))
    return crc.value
  }

  private static func damaged(_ problem: String) -> ArchiveError {
    ArchiveError(.damaged, "The archive \(problem). Restore it from a copy.")
  }
}
