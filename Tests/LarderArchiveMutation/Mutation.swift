public import Foundation
internal import LarderArchive
public import LarderRandom

/// Seeded damage to archives, for tests and for the fuzzer.
public enum Mutation {
  /// An archive around any bytes, with a header and a checksum that are right.
  public static func archive(of payload: Data, tag: String, version: Int = 1) throws -> Data {
    try ArchiveHeader.seal(
      payload, types: [ArchiveHeader.TypeEntry(tag: tag, version: version)], membersHaveVersions: true)
  }

  /// Bytes with one to four kinds of damage; never longer than twice the longer of both plus 64.
  public static func damage(_ original: [UInt8], splicing other: [UInt8], using generator: inout SplitMix64) -> [UInt8]
  {
    var bytes = original
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      guard !bytes.isEmpty else { break }
      change(&bytes, other, &generator)
    }
    return Array(bytes.prefix(2 * max(original.count, other.count) + 64))
  }

  private static func change(_ bytes: inout [UInt8], _ other: [UInt8], _ generator: inout SplitMix64) {
    let place = Int.random(in: 0..<bytes.count, using: &generator)
    switch Int.random(in: 0..<8, using: &generator) {
    case 0, 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    case 2: bytes[place] = UInt8.random(in: 0...255, using: &generator)
    case 3: bytes.removeSubrange(place...)
    case 4:
      let start = Int.random(in: 0..<other.count, using: &generator)
      let part = other[start..<min(other.count, start + Int.random(in: 1...64, using: &generator))]
      bytes.replaceSubrange(place..<min(bytes.count, place + part.count), with: part)
    case 5:
      // Numbers at the edges, as a length, an offset or a reference may be.
      let edge: [UInt8] = [0x00, 0x01, 0x7f, 0x80, 0xff, 0x0f, 0xaf, 0xdf, 0x13, 0x14, 0x80].shuffled(using: &generator)
      for index in place..<min(bytes.count, place + Int.random(in: 1...8, using: &generator)) {
        bytes[index] = edge[index % edge.count]
      }
    case 6:
      // The trailer and the table of offsets are at the end, and decide about all else.
      let near = bytes.count - 1 - Int.random(in: 0..<min(bytes.count, 64), using: &generator)
      bytes[near] = Bool.random(using: &generator) ? bytes[near] &+ 1 : UInt8.random(in: 0...255, using: &generator)
    default:
      bytes.insert(
        contentsOf: (0..<Int.random(in: 1...8, using: &generator)).map { _ in
          UInt8.random(in: 0...255, using: &generator)
        }, at: place)
    }
  }
}
