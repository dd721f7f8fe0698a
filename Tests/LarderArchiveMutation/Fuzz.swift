public import Foundation
internal import LarderArchive
internal import LarderRandom

/// Decodes what seeded damage makes of valid archives, and valid files with a hostile graph: each ends in a value or a
/// thrown error.
public struct Fuzz: Sendable {
  /// What is decoded.
  public enum Kind: String, CaseIterable, Sendable {
    case own, keyed, xml, packages, zips
    /// XML with marks and comments, packages whose parts somebody changed, and graphs that are encoded.
    case decorated, parts, graphs
  }

  /// How the cases ended.
  public struct Outcome: Sendable {
    public var values = 0
    public var errors: [String: Int] = [:]

    public init() {}
  }

  private let archives: [[UInt8]]
  private let payloads: [[UInt8]]
  private let keyed: [[UInt8]]
  let xml: [[UInt8]]
  private let manifests: [[UInt8]]
  let limits = Archive.Limits(size: 1 << 20, depth: 100, count: 20_000, expandedSize: 4 << 20)

  /// - Parameter keyed: Keyed archives to damage as well.
  public init(keyed: [Data]) throws {
    let values: [Data] = try [
      Archive.encode((0..<3).map(Creature.sample)), Archive.encode([Creature]()),
      Archive.encode((0..<30).map(Creature.sample)),
    ]
    archives = values.map(Array.init)
    payloads = try archives.map { archive in
      let header = try archive.withUnsafeBytes { try ArchiveHeader(of: $0, limits: .default) }
      return Array(archive[header.payload])
    }
    self.keyed = keyed.map(Array.init).filter { $0.starts(with: "bplist".utf8) }
    xml = keyed.map(Array.init).filter { !$0.starts(with: "bplist".utf8) }
    manifests = try [Archive.encode(Manifest(parts: ["a": .init(size: 3, checksum: CRC64.checksum([1, 2, 3]))]))].map(
      Array.init)
  }

  /// Runs the case of a seed, of any kind; the same seed is the same case.
  public func run(seed: UInt64, _ outcome: inout Outcome) {
    var kinds: [Kind] = [.own]
    if !keyed.isEmpty { kinds.append(.keyed) }
    if !xml.isEmpty { kinds.append(.xml) }
    run(kinds[Int(seed % UInt64(kinds.count))], seed: seed, &outcome)
  }

  /// Runs the case of a seed and a kind.
  ///
  /// - Parameter folder: Where packages, parts and zip files are; needed for those alone.
  public func run(_ kind: Kind, seed: UInt64, in folder: URL? = nil, _ outcome: inout Outcome) {
    var generator = SplitMix64(seed: seed)
    count(&outcome) {
      switch kind {
      case .own: if try !runRare(.own, &generator) { try runOwn(&generator) }
      case .keyed: if try !runRare(.keyed, &generator) { try runKeyed(keyed, &generator) { $0.keyedArchive() } }
      case .xml: if try !runRare(.xml, &generator) { try runKeyed(xml, &generator) { $0.xml() } }
      case .packages: if let folder { try runPackage(in: folder, &generator) }
      case .zips: if let folder { try runZip(in: folder, &generator) }
      case .decorated: try runDecoratedXML(&generator)
      case .parts: if let folder { try runParts(in: folder, &generator) }
      case .graphs: try runGraph(&generator)
      }
    }
  }

  /// Runs a case that takes long, now and then.
  ///
  /// - Returns: Whether it did.
  private func runRare(_ format: NestedArchive.Format, _ generator: inout SplitMix64) throws -> Bool {
    switch Int.random(in: 0..<2_000, using: &generator) {
    case 0: try runLarge(format, &generator)
    case 1...10: try runRepeated(format, &generator)
    default: return false
    }
    return true
  }

  /// Runs a case, and counts how it ended.
  func count(_ outcome: inout Outcome, _ body: () throws -> Void) {
    do {
      try body()
      outcome.values += 1
    } catch let error as ArchiveError {
      outcome.errors["\(error.code)", default: 0] += 1
    } catch {
      outcome.errors["\(type(of: error))", default: 0] += 1
    }
  }

  private func runOwn(_ generator: inout SplitMix64) throws {
    switch Int.random(in: 0..<9, using: &generator) {
    case 0: try decode(Data(damaged(archives, &generator)))
    case 1: try decode(resealed(damaged(archives, &generator)))
    case 2, 3: try decode(Mutation.archive(of: Data(damaged(payloads, &generator)), tag: "[Creature]", version: 2))
    case 4: try decode(Mutation.archive(of: Data(damaged(payloads, &generator)), tag: "[Creature]", version: 1))
    default:
      var graph = HostileGraph(generator)
      let payload = graph.payload()
      switch seed(generator) % 4 {
      case 0: try decode(Mutation.archive(of: payload, tag: "[Creature]", version: 1))
      case 1:
        _ = try Archive.decode(
          Anything.self, from: Mutation.archive(of: payload, tag: "Anything"), migrations: [Self.memberMigration],
          limits: limits)
      case 2:
        let archive = try Mutation.archive(of: payload, tag: "Anything")
        _ = try Archive.decode(
          Renamed.self, from: archive, migrations: [ArchiveMigration(of: "Anything", from: 1, to: "Renamed") { _ in }],
          limits: limits)
      default: try decode(Mutation.archive(of: payload, tag: "[Creature]", version: 2))
      }
    }
  }

  private func seed(_ generator: SplitMix64) -> UInt64 {
    var generator = generator
    return generator.next()
  }

  private func runKeyed(
    _ originals: [[UInt8]], _ generator: inout SplitMix64, _ make: (inout HostileGraph) -> Data
  ) throws {
    var graph = HostileGraph(generator)
    let data = originals.isEmpty || Bool.random(using: &generator) ? make(&graph) : Data(damaged(originals, &generator))
    switch Int.random(in: 0..<10, using: &generator) {
    case 0: try decodeRepeatedly(data, &generator)
    case 1...3: _ = try Archive.decodeKeyed([CodableCreature].self, from: data, allowing: Self.codable, limits: limits)
    case 4...6: _ = try Archive.decodeKeyed(Anything.self, from: data, allowing: Self.anything, limits: limits)
    default: _ = try Archive.decodeKeyed([FuzzCreature].self, from: data, allowing: Self.classes, limits: limits)
    }
  }

  /// Decodes each level of any keyed archive several times.
  private func decodeRepeatedly(_ data: Data, _ generator: inout SplitMix64) throws {
    let way = Repeating.Way.allCases.randomElement(using: &generator) ?? .decode
    let plan = Repeating.Plan(way, isList: Bool.random(using: &generator), times: 3)
    let limits = Archive.Limits(size: 1 << 20, count: 1_500, expandedSize: 4 << 20)
    _ = try Archive.decodeKeyed(
      Repeating.self, from: data, allowing: Self.anything.mapValues { _ in .codable(Repeating.self) }, limits: limits,
      userInfo: plan.userInfo)
  }

  /// A package whose list of parts, or one of whose parts, is damaged; then it is read, changed and mended.
  private func runPackage(in url: URL, _ generator: inout SplitMix64) throws {
    let folder = try PackageFolder(at: url, extension: "x", limits: limits)
    let package =
      try (try? folder.package(named: "fuzz"))
      ?? folder.add(named: "fuzz") { try $0.setData(Data([1, 2, 3]), for: "a") }
    let place = url.appending(path: "fuzz.x/.manifest")
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: try Data(damaged(manifests, &generator)).write(to: place)
    case 1: try resealed(damaged(manifests, &generator)).write(to: place)
    case 2:
      var graph = HostileGraph(generator)
      try Mutation.archive(of: graph.payload(), tag: "LarderArchive.DocumentManifest").write(to: place)
    default:
      let names = [
        "../a", "/etc/passwd", "", "a/b", ".manifest", "b", "e\u{301}", "a\0b", String(repeating: "x", count: 300),
      ]
      let parts = names.shuffled(using: &generator).prefix(2).map {
        ($0, Manifest.Part(size: .random(in: -1...3, using: &generator), checksum: 0))
      }
      try Archive.encode(Manifest(parts: Dictionary(parts) { $1 })).write(to: place)
    }
    defer { try? package.replaceAll { try $0.setData(Data([1, 2, 3]), for: "a") } }
    _ = try package.inspect()
    for name in try package.partNames() { _ = try? package.data(for: name) }
    _ = try package.snapshot()
    try package.edit { try $0.setData(Data([4]), for: "b") }
  }

  /// A zip file, damaged or hostile, that is read as a whole and put into a package; where that succeeds, the package
  /// as a zip file gives the same parts.
  private func runZip(in url: URL, _ generator: inout SplitMix64) throws {
    let folder = try PackageFolder(at: url, extension: "x", limits: limits)
    var graph = HostileGraph(generator)
    var bytes = graph.zip()
    if Int.random(in: 0..<3, using: &generator) == 0 { bytes = Data(damaged([Array(bytes)], &generator)) }
    let file = url.appending(path: "fuzz.zip")
    try bytes.write(to: file)
    let limits = ZipLimits(entries: 5, partSize: 4 << 20, totalSize: 5 << 20, ratio: 100)
    if Int.random(in: 0..<4, using: &generator) > 0 {
      let reader = try ZipReader(file, limits: limits)
      for entry in reader.entries { try reader.read(entry) { _ in } }
      return
    }
    let package = try folder.add { try $0.setParts(ofZip: file, limits: limits) }
    let snapshot = try package.snapshot()
    try snapshot.writeZip(to: file, limits: limits)
    let copy = try folder.add { try $0.setParts(ofZip: file, limits: limits) }
    let isSame =
      try snapshot.partNames() == copy.partNames()
      && snapshot.partNames().allSatisfy { try snapshot.data(for: $0) == copy.data(for: $0) }
    // Not an error of the file: it ends the run.
    precondition(isSame, "the package came back as another one")
    for package in [package, copy] { try folder.delete(package) }
    try folder.emptyTrash()
  }

  /// Takes whatever comes, as one thing and then as another, in all ways that a decoder has.
  private final class Anything: Archivable, Sendable {
    static let archiveTag = "Anything"

    init(from decoder: any Decoder) throws { try Self.explore(decoder) }

    func encode(to encoder: any Encoder) throws { _ = encoder.container(keyedBy: AnyKey.self) }

    static func explore(_ decoder: any Decoder) throws {
      if let single = try? decoder.singleValueContainer() {
        if single.decodeNil() { return }
        if (try? single.decode(String.self)) != nil || (try? single.decode(Float.self)) != nil
          || (try? single.decode(Date.self)) != nil
        {
          return
        }
      }
      if let keyed = try? decoder.container(keyedBy: AnyKey.self) {
        for (index, key) in keyed.allKeys.prefix(8).enumerated() {
          if index.isMultiple(of: 2) {
            _ = try keyed.decodeIfPresent(Anything.self, forKey: key)
          } else {
            _ = try keyed.decodeIfPresent(Member.self, forKey: key)
          }
        }
      } else if var elements = try? decoder.unkeyedContainer() {
        while !elements.isAtEnd { _ = try elements.decode(Anything.self) }
      }
    }
  }

  /// A member with versions of its own, at any depth.
  private struct Member: Archivable {
    static let archiveTag = "Member"
    static let archiveVersion = 2
    init(from decoder: any Decoder) throws { try Anything.explore(decoder) }
    func encode(to encoder: any Encoder) throws { _ = encoder.container(keyedBy: AnyKey.self) }
  }

  private static let memberMigration = ArchiveMigration(of: "Member", from: 1) { $0 = .array([$0]) }

  /// What another type became.
  private struct Renamed: Archivable {
    static let archiveTag = "Renamed"
    static let archiveVersion = 2
    init(from decoder: any Decoder) throws { try Anything.explore(decoder) }
    func encode(to encoder: any Encoder) throws { _ = encoder.container(keyedBy: AnyKey.self) }
  }

  private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private static let anything: [String: KeyedClass] = [
    "LarderArchiveTests.OldCreature": .codable(Anything.self), "x": .codable(Anything.self),
    "": .codable(Anything.self),
  ]

  private static let classes: [String: KeyedClass] = [
    "LarderArchiveTests.OldCreature": .building { object in
      FuzzCreature(
        title: try object.decode(String.self, forKey: "Title"), rating: try object.decode(Double.self, forKey: "Rating")
      )
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

  private func damaged(_ originals: [[UInt8]], _ generator: inout SplitMix64) -> [UInt8] {
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
    for index in 0..<8 {
      bytes[ArchiveHeader.checksumOffset + index] = UInt8(truncatingIfNeeded: checksum >> UInt64(56 - 8 * index))
    }
    return Data(bytes)
  }
}
