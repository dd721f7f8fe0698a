public import Foundation
internal import LarderArchive

/// Decodes what seeded damage makes of valid archives: each ends in a value or a thrown error.
public struct Fuzz {
  /// How the cases ended.
  public struct Outcome {
    public var values = 0
    public var errors: [String: Int] = [:]

    public init() {}
  }

  private let archives: [[UInt8]]
  private let payloads: [[UInt8]]
  private let keyed: [[UInt8]]
  private let limits = Archive.Limits(size: 1 << 20, depth: 100, count: 100_000, expandedSize: 8 << 20)

  /// - Parameter keyed: Keyed archives to damage as well.
  public init(keyed: [Data]) throws {
    let values: [Data] = try [
      Archive.encode((0..<3).map(Creature.sample)), Archive.encode([Creature]()), Archive.encode((0..<30).map(Creature.sample)),
    ]
    archives = values.map(Array.init)
    payloads = try archives.map { archive in
      let header = try archive.withUnsafeBytes { try ArchiveHeader(of: $0, limits: .default) }
      return Array(archive[header.payload])
    }
    self.keyed = keyed.map(Array.init)
  }

  /// Runs the case of a seed; the same seed is the same case.
  public func run(seed: UInt64, _ outcome: inout Outcome) {
    var generator = Mutation.Generator(seed: seed)
    do {
      switch Int.random(in: 0..<(keyed.isEmpty ? 5 : 8), using: &generator) {
      case 0: try decode(Data(damaged(archives, &generator)))
      case 1: try decode(resealed(damaged(archives, &generator)))
      case 2, 3: try decode(Mutation.archive(of: Data(damaged(payloads, &generator)), tag: "[Creature]", version: 2))
      case 4: try decode(Mutation.archive(of: Data(damaged(payloads, &generator)), tag: "[Creature]", version: 1))
      case 5:
        let data = Data(damaged(keyed, &generator))
        _ = try Archive.decodeKeyed([CodableCreature].self, from: data, allowing: Self.codable, limits: limits)
      default:
        let data = Data(damaged(keyed, &generator))
        _ = try Archive.decodeKeyed([FuzzCreature].self, from: data, allowing: Self.classes, limits: limits)
      }
      outcome.values += 1
    } catch let error as ArchiveError {
      outcome.errors["\(error.code)", default: 0] += 1
    } catch {
      outcome.errors["\(type(of: error))", default: 0] += 1
    }
  }

  private static let classes: [String: KeyedClass] = [
    "LarderArchiveTests.OldCreature": .building { object in
      FuzzCreature(title: try object.decode(String.self, forKey: "Title"), rating: try object.decode(Double.self, forKey: "Rating"))
    }
  ]

  private static let codable: [String: KeyedClass] = ["LarderArchiveTests.OldCreature": .codable(CodableCreature.self)]

  /// The step from an older version, which walks through the whole tree.
  private static let migration = ArchiveMigration(of: "Creature", from: 1) { value in
    value["title"] = value["title"]?.string.map { .string($0 + "!") } ?? "without a title"
  }

  /// A creature of a keyed archive as a Codable type.
  private struct CodableCreature: Codable, Sendable {
    var title: String
    var rating: Float
    var scary: Bool
    var legs: Int8
    var born: Date
    var picture: Data
    var tags: Set<String>
    var page: URL
    var identifier: UUID

    enum CodingKeys: String, CodingKey {
      case title = "Title"
      case rating = "Rating"
      case scary = "Scary"
      case legs = "Legs"
      case born = "Born"
      case picture = "Picture"
      case tags = "Tags"
      case page = "Page"
      case identifier = "Identifier"
    }
  }

  /// A creature as keyed archives have it.
  private struct FuzzCreature: Sendable {
    var title: String
    var rating: Double
  }

  private func damaged(_ originals: [[UInt8]], _ generator: inout Mutation.Generator) -> [UInt8] {
    let original = originals[Int.random(in: 0..<originals.count, using: &generator)]
    let other = originals[Int.random(in: 0..<originals.count, using: &generator)]
    return Mutation.damage(original, splicing: other, using: &generator)
  }

  private func decode(_ data: Data) throws {
    let creatures = try Archive.decode([Creature].self, from: data, migrations: [Self.migration], limits: limits)
    _ = try Archive.encode(creatures)
  }

  /// With lengths and a checksum that are right, so that what lies behind the checksum is reached.
  private func resealed(_ bytes: [UInt8]) -> Data {
    var bytes = bytes
    guard bytes.count > 34 else { return Data(bytes) }
    let header = min(bytes.count, Int(bytes[14]) << 8 | Int(bytes[15]))
    let length = UInt64(bytes.count - header)
    for index in 0..<8 { bytes[16 + index] = UInt8(truncatingIfNeeded: length >> UInt64(56 - 8 * index)) }
    let checksum = bytes.withUnsafeBytes { ArchiveHeader.checksum(of: $0) }
    for index in 0..<8 { bytes[ArchiveHeader.checksumOffset + index] = UInt8(truncatingIfNeeded: checksum >> UInt64(56 - 8 * index)) }
    return Data(bytes)
  }
}
