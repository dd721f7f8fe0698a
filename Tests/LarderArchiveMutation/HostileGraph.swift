public import Foundation
public import LarderRandom

/// Valid files with a seeded graph that no honest program writes: chains, circles, shared children, texts over one
/// another, wrong kinds and counts.
public struct HostileGraph {
  private var generator: SplitMix64

  public init(_ generator: SplitMix64) { self.generator = generator }

  /// The words that readers look for.
  private static let words = [
    "$class", "$classname", "$archiver", "$objects", "$top", "root", "NS.objects", "NS.keys", "NS.string", "NS.data",
    "NS.time", "NS.relative",
    "NS.base",
    "NS.uuidbytes", "NS.mantissa", "NS.length", "NS.exponent", "NS.name", "NS.object0", "NS.count0", "NSKeyedArchiver",
    "NSString", "NSArray",
    "NSDictionary",
    "NSSet", "NSCountedSet", "NSURL", "NSDate", "NSData", "NSUUID", "NSDecimalNumber", "NSTimeZone", "NSNull",
    "LarderArchiveTests.OldCreature",
    "Title",
    "Rating", "Tags", "$tag", "$member", "$version", "$value", "Member", "Anything", "id", "title", "tags", "places",
    "parts",
    "size", "checksum",
    "CF$UID", "e\u{301}", "\u{e9}", "",
  ]

  private mutating func word() -> String { Self.words.randomElement(using: &generator) ?? "" }

  /// The payload of an own archive: an array of one value.
  public mutating func payload() -> Data {
    var builder = BinaryListBuilder()
    builder.add(.array([1]))
    let count = Int.random(in: 2...60, using: &generator)
    for number in 1..<count {
      builder.add(object(number, of: count, hasUIDs: .random(in: 0..<8, using: &generator) == 0))
    }
    // What a member with a version refers to.
    for text in ["$member", "$version", "$value", "Member"] { builder.add(.text(text)) }
    for version: Int64 in [1, 2, -1, .max] { builder.add(.integer(version)) }
    if Bool.random(using: &generator) { overlap(&builder) }
    return builder.list()
  }

  /// A keyed archive.
  public mutating func keyedArchive() -> Data {
    let count = Int.random(in: 1...60, using: &generator)
    let shape = Int.random(in: 0..<4, using: &generator)
    var graph = self
    let data = BinaryListBuilder.keyedArchive { builder in
      let first = builder.objects.count
      // Room for the objects, so that they can name one another.
      for _ in 0..<count { builder.add(.null) }
      for index in 0..<count { builder.objects[first + index] = graph.keyedObject(index, of: count, shape, &builder) }
      return (0..<count).map { first + $0 }
    }
    generator = graph.generator
    return data
  }

  /// A keyed archive as XML.
  public mutating func xml() -> Data {
    var text =
      "<plist><dict><key>$archiver</key><string>NSKeyedArchiver</string><key>$top</key><dict><key>root</key>\(uid(1))</dict>"
    text += "<key>$objects</key><array><string>$null</string>"
    let count = Int.random(in: 1...30, using: &generator)
    for index in 0..<count { text += node(depth: 0, index, of: count) }
    text += "</array></dict></plist>"
    return Data(text.utf8)
  }

  private func uid(_ number: Int) -> String { "<dict><key>CF$UID</key><integer>\(number)</integer></dict>" }

  private mutating func node(depth: Int, _ index: Int, of count: Int) -> String {
    switch Int.random(in: 0..<(depth > 4 ? 7 : 11), using: &generator) {
    case 0: return "<string>\(word())&amp;\u{301}<![CDATA[\(word())]]><!-- \(word()) --></string>"
    case 1: return "<integer>\(Int.random(in: -3...300, using: &generator))</integer>"
    case 2: return "<real>\(["1e300", "nan", "inf", "0.5"].randomElement(using: &generator) ?? "1")</real>"
    case 3: return "<data>AAAA</data>"
    case 4: return "<true/>"
    case 5, 6:
      return uid(
        Int.random(in: 0..<8, using: &generator) == 0 ? index + 1 : Int.random(in: -1...count + 1, using: &generator))
    case 7: return String(repeating: "<array>", count: 120)
    case 8:
      return "<array>" + node(depth: depth + 1, index, of: count) + node(depth: depth + 1, index, of: count)
        + "</array>"
    default:
      let keys = (0..<Int.random(in: 0...3, using: &generator)).map { _ in word() }
      return "<dict><key>$class</key>\(uid(Int.random(in: 0...count, using: &generator)))"
        + keys.map { "<key>\($0)</key>" + node(depth: depth + 1, index, of: count) }.joined() + "</dict>"
    }
  }

  private mutating func keyedObject(
    _ index: Int, of count: Int, _ shape: Int, _ builder: inout BinaryListBuilder
  ) -> BinaryListBuilder.Object {
    switch shape {
    case 0: return .uid(index + 2)
    case 1:
      // Levels whose children are all the next level.
      let next = builder.add(.uid(min(count, index + 2)))
      let type = builder.add(.dictionary([(builder.add(.text("$classname")), builder.add(.text("NSArray")))]))
      return index == count - 1
        ? .dictionary([(builder.add(.text("$classname")), builder.add(.text("NSArray")))])
        : .dictionary([
          (builder.add(.text("$class")), builder.add(.uid(count))),
          (builder.add(.text("NS.objects")), builder.add(.array([next, next, next]))),
          (builder.add(.text("x")), type),
        ])
    default:
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: return .text(word())
      case 1: return .uid(Int.random(in: 0...count + 1, using: &generator))
      case 2: return .dictionary([(builder.add(.text("$classname")), builder.add(.text(word())))])
      case 3: return .real([1e300, .nan, 0.5].randomElement(using: &generator) ?? 1)
      default:
        var entries = [
          (key: builder.add(.text("$class")), value: builder.add(.uid(Int.random(in: 0...count, using: &generator))))
        ]
        for _ in 0..<Int.random(in: 0...4, using: &generator) {
          let references = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
            builder.add(.uid(Int.random(in: 0...count, using: &generator)))
          }
          entries.append(
            (builder.add(.text(word())), references.count == 1 ? references[0] : builder.add(.array(references))))
        }
        return .dictionary(entries)
      }
    }
  }

  /// An object that names others, mostly behind it, so that the graph is mostly without circles.
  private mutating func object(_ number: Int, of count: Int, hasUIDs: Bool) -> BinaryListBuilder.Object {
    let isAnywhere = Int.random(in: 0..<20, using: &generator) == 0
    func reference(_ generator: inout SplitMix64) -> Int {
      isAnywhere || number + 1 >= count
        ? Int.random(in: 0..<count, using: &generator)
        : Int.random(in: number + 1..<min(count, number + 4), using: &generator)
    }
    switch Int.random(in: 0..<14, using: &generator) {
    case 12, 13:
      let version = count + 4 + [0, 0, 0, 1, 2, 3][Int.random(in: 0..<6, using: &generator)]
      let tag = Int.random(in: 0..<8, using: &generator) == 0 ? reference(&generator) : count + 3
      return .dictionary([(count, tag), (count + 1, version), (count + 2, reference(&generator))])
    case 0: return .null
    case 1: return .integer(Int64.random(in: -2...300, using: &generator))
    case 2: return .real([1e300, .infinity, 0.5].randomElement(using: &generator) ?? 1)
    case 3: return .data([1, 2, 3])
    case 4: return hasUIDs ? .uid(Int.random(in: 0...count, using: &generator)) : .bool(true)
    case 5: return .wideText(word())
    case 6: return .text(word())
    case 7, 8: return .array((0..<Int.random(in: 0...4, using: &generator)).map { _ in reference(&generator) })
    case 9: return .array(Array(repeating: reference(&generator), count: Int.random(in: 1...200, using: &generator)))
    default:
      return .dictionary(
        (0..<Int.random(in: 0...4, using: &generator)).map { _ in (reference(&generator), reference(&generator)) })
    }
  }

  /// Makes the value a container of texts that lie over one another.
  private mutating func overlap(_ builder: inout BinaryListBuilder) {
    let texts = builder.addOverlappingTexts(Int.random(in: 2...200, using: &generator), length: 0x7f7f)
    let null = builder.add(.null)
    builder.objects[1] = Bool.random(using: &generator) ? .array(texts) : .dictionary(texts.map { ($0, null) })
  }
}

extension HostileGraph {
  /// The names that zip files of attackers, and of others, have.
  private static let paths = [
    "a", "b", "images/a", "images/b", "images", "images/", "A", "e\u{301}", "\u{e9}", "../a", "a/../../b",
    "/etc/passwd", "C:/a", "C:\\a", "a\\b", "",
    "/", ".",
    "..", "./a", "a//b", "a\0b", ".DS_Store", "__MACOSX/._a", "__MACOSX/../a", "a/.DS_Store", ".manifest",
    ".larder-lock", "con", "a\nb",
    String(repeating: "x", count: 300), String(repeating: "x/", count: 20) + "a",
  ]

  /// A zip file that is right in most numbers, and wrong in some.
  public mutating func zip() -> Data {
    var builder = ZipBuilder()
    let isHonest = Bool.random(using: &generator)
    for number in 0..<Int.random(in: 0...6, using: &generator) {
      let path =
        isHonest || Int.random(in: 0..<4, using: &generator) > 0
        ? "part \(number)" : Self.paths.randomElement(using: &generator) ?? ""
      var entry = ZipBuilder.Entry(
        path,
        path.hasSuffix("/")
          ? [] : (0..<Int.random(in: 0...300, using: &generator)).map { UInt8(truncatingIfNeeded: $0) })
      entry.isDeflated = Bool.random(using: &generator)
      if !isHonest, Int.random(in: 0..<3, using: &generator) == 0 { spoil(&entry) }
      builder.entries.append(entry)
    }
    if !isHonest {
      switch Int.random(in: 0..<12, using: &generator) {
      case 0: builder.prefix = Array("#!/bin/sh\n".utf8)
      case 1: builder.gap = [1, 2, 3]
      case 2: builder.count = [0, 1, 3, .max].randomElement(using: &generator)
      case 3: builder.directoryOffset = [0, 1, 30, .max].randomElement(using: &generator)
      case 4: builder.directorySize = [0, 46, .max].randomElement(using: &generator)
      case 5: builder.comment = Array(ZipBuilder().file())
      case 6: builder.comment = Array("PK".utf8)
      // Two entries with one content.
      case 7: if let last = builder.entries.indices.last { builder.entries[last].offset = 0 }
      default: break
      }
    }
    return builder.file()
  }

  private mutating func spoil(_ entry: inout ZipBuilder.Entry) {
    let edges: [UInt32] = [0, 1, 1000, 0x7fff_ffff, 0xffff_fffe, .max]
    let edge = edges.randomElement(using: &generator) ?? 0
    switch Int.random(in: 0..<20, using: &generator) {
    case 0: entry.flags = UInt16(truncatingIfNeeded: 1 << Int.random(in: 0..<16, using: &generator))
    case 1: entry.method = UInt16.random(in: 0...99, using: &generator)
    case 2: entry.checksum = edge
    case 3: entry.size = edge
    case 4: entry.compressedSize = edge
    case 5:
      entry.attributes =
        UInt32([0o120_777, 0o040_755, 0o060_000, 0o100_644].randomElement(using: &generator) ?? 0) << 16
    case 6: entry.attributes = 0x10
    case 7: entry.offset = edge
    case 8: entry.localName = Array("other".utf8)
    case 9: entry.localSize = edge
    case 10: entry.localCompressedSize = edge
    case 11: entry.localMethod = 8
    case 12: entry.localChecksum = edge
    case 13:
      let zeros = ZipBuilder.zeros(Int.random(in: 1...40_000, using: &generator))
      (entry.raw, entry.isDeflated, entry.size) = (
        zeros.raw, true, Bool.random(using: &generator) ? UInt32(zeros.count) : 10
      )
      entry.checksum = entry.size.map { _ in 0 }
    case 14:
      let numbers: [UInt64] = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
        [0, 1, UInt64(edge), .max, 1 << 62].randomElement(using: &generator) ?? 0
      }
      entry.extra =
        ZipBuilder.numbers([1, UInt16(8 * numbers.count)], UInt16.self) + ZipBuilder.numbers(numbers, UInt64.self)
      (entry.size, entry.localExtra) = (.max, Bool.random(using: &generator) ? entry.extra : [])
    case 15:
      (entry.flags, entry.localChecksum, entry.localSize, entry.localCompressedSize) = (8, 0, 0, 0)
      let size = UInt32(entry.content.count)
      entry.trailer = ZipBuilder.numbers([ZipBuilder.checksum(entry.content), size, size], UInt32.self)
    case 16:
      entry.extra = (0..<Int.random(in: 1...9, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
    case 17:
      entry.raw = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
    case 18: entry.name = [0xff, 0xfe]
    default: entry.trailer = [UInt8](repeating: 0, count: Int.random(in: 1...30, using: &generator))
    }
  }
}
