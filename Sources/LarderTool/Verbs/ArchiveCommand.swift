import ArgumentParser
import Foundation
import Larder
import LarderArchive

struct ArchiveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "archive", abstract: "Looks into archives of values.", subcommands: [ShowCommand.self])

  struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Shows an archive of Larder's, or of NSKeyedArchiver, as JSON.",
      discussion: """
        Nothing of the archive's types is built, and its size, depth and number of values are limited. Dates are in ISO \
        8601 and bytes in Base64. An object of a keyed archive has its class under $class; one that it holds itself is \
        shown as {"$object": number}.

        EXAMPLES
          larder archive show creature.archive
          larder archive show drawing.plist --json | jq '.value.name'
        """)

    @Argument(help: "The archive.", completion: .file())
    var file: String
    @Flag(help: "Print the value in one line.")
    var json = false

    func run() async throws {
      let data = try Self.data(of: file)
      let value = try ArchiveText(data).value
      print(json ? try JSONText.line(value) : try JSONText.indented(value))
    }

    /// Reads no more than an archive may have.
    private static func data(of path: String) throws -> Data {
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue,
        let handle = FileHandle(forReadingAtPath: path)
      else { throw Failure("\(path) can't be read. Check the path.") }
      return try handle.read(upToCount: Archive.Limits.default.size + 1) ?? Data()
    }
  }
}

/// An archive as JSON.
struct ArchiveText {
  let value: DocumentValue

  /// - Throws: `ArchiveError` for what is no archive, is damaged, or exceeds a limit.
  init(_ data: Data) throws {
    if data.starts(with: [0x89, 0x4C, 0x41, 0x52]) {
      let (types, tree) = try ArchiveValue.tree(ofArchive: data)
      value = .record([
        "types": .array(
          types.map { .record(["name": .text($0.tag), "version": .integer(Int64($0.version))]) }),
        "value": Self.value(tree),
      ])
    } else {
      var archive = try KeyedArchiveText(try ArchiveValue(propertyList: data))
      value = .record(["value": try archive.root()])
    }
  }

  static func value(_ tree: ArchiveValue) -> DocumentValue {
    switch tree {
    case .null: .null
    case .bool(let bool): .bool(bool)
    case .integer(let integer): .integer(integer)
    case .unsigned(let integer): .text(String(integer))
    case .real(let real): real.isFinite ? .real(real) : .text("\(real)")
    case .date(let date):
      (try? date.documentValue) ?? .record(["$date": .text("\(date.timeIntervalSinceReferenceDate)")])
    case .data(let data): .text(data.base64EncodedString())
    case .string(let text): .text(text)
    case .array(let elements): .array(elements.map(value))
    case .dictionary(let entries):
      .object(Document(entries.sorted { $0.key < $1.key }.map { ($0.key, value($0.value)) }))
    }
  }
}

/// The objects of a keyed archive, each where it is referred to.
struct KeyedArchiveText {
  private let objects: [ArchiveValue]
  private let top: [String: ArchiveValue]
  private var open: Set<Int> = []
  private var count = 0
  private static let limits = (count: 200_000, depth: 90)

  init(_ list: ArchiveValue) throws {
    guard let objects = list["$objects"]?.array, let top = list["$top"]?.dictionary, list["$archiver"] != nil else {
      throw Failure("The file is a property list, but no archive of NSKeyedArchiver. Use plutil to look into it.")
    }
    self.objects = objects
    self.top = top
  }

  mutating func root() throws -> DocumentValue {
    if top.count == 1, let root = top["root"] { return try value(root, 0) }
    var values = Document()
    for (name, node) in top.sorted(by: { $0.key < $1.key }) { values[name] = try value(node, 0) }
    return .object(values)
  }

  private mutating func value(_ node: ArchiveValue, _ depth: Int) throws -> DocumentValue {
    count += 1
    guard count <= Self.limits.count, depth <= Self.limits.depth else {
      throw Failure(
        "The archive unfolds to more than \(Self.limits.count) values, or more than \(Self.limits.depth) in one another."
      )
    }
    if let number = Self.reference(node) { return try object(number, depth) }
    switch node {
    case .array(let elements):
      var values: [DocumentValue] = []
      for element in elements { values.append(try value(element, depth + 1)) }
      return .array(values)
    case .dictionary(let entries):
      var values = Document()
      for (name, entry) in entries.sorted(by: { $0.key < $1.key }) { values[name] = try value(entry, depth + 1) }
      return .object(values)
    default: return ArchiveText.value(node)
    }
  }

  private static func reference(_ node: ArchiveValue) -> Int? {
    guard let entries = node.dictionary, entries.count == 1, let number = entries["CF$UID"]?.integer else { return nil }
    return number
  }

  private mutating func object(_ number: Int, _ depth: Int) throws -> DocumentValue {
    guard objects.indices.contains(number) else { throw Failure("The archive refers to an object that is not there.") }
    // The first object stands for nil.
    if number == 0 { return .null }
    guard open.insert(number).inserted else { return ["$object": .integer(Int64(number))] }
    defer { open.remove(number) }
    guard let entries = objects[number].dictionary, let name = className(entries) else {
      return try value(objects[number], depth + 1)
    }
    return try foundation(name, entries, depth) ?? plain(name, entries, depth)
  }

  private func className(_ entries: [String: ArchiveValue]) -> String? {
    guard let number = entries["$class"].flatMap(Self.reference), objects.indices.contains(number) else { return nil }
    return objects[number]["$classname"]?.string
  }

  private mutating func plain(_ name: String, _ entries: [String: ArchiveValue], _ depth: Int) throws -> DocumentValue {
    var values: Document = ["$class": .text(name)]
    for (key, entry) in entries.sorted(by: { $0.key < $1.key }) where key != "$class" {
      values[key] = try value(entry, depth + 1)
    }
    return .object(values)
  }

  /// Returns a text, a collection or a date of Foundation as JSON has it; nil for every other object.
  private mutating func foundation(
    _ name: String, _ entries: [String: ArchiveValue], _ depth: Int
  ) throws -> DocumentValue? {
    switch name {
    case "NSString", "NSMutableString": return try entries["NS.string"].map { try value($0, depth + 1) }
    case "NSData", "NSMutableData": return try entries["NS.data"].map { try value($0, depth + 1) }
    case "NSDate":
      return entries["NS.time"]?.real.map { ArchiveText.value(.date(Date(timeIntervalSinceReferenceDate: $0))) }
    case "NSNull": return .null
    case "NSArray", "NSMutableArray", "NSSet", "NSMutableSet", "NSOrderedSet", "NSMutableOrderedSet":
      return try entries["NS.objects"].map { try value($0, depth + 1) }
    case "NSDictionary", "NSMutableDictionary":
      guard let keys = entries["NS.keys"]?.array, let values = entries["NS.objects"]?.array, keys.count == values.count
      else { return nil }
      var pairs: [(DocumentValue, DocumentValue)] = []
      for (key, entry) in zip(keys, values) { pairs.append((try value(key, depth + 1), try value(entry, depth + 1))) }
      let names = Set(pairs.compactMap(\.0.text))
      guard names.count == pairs.count, !names.contains("$class") else {
        return .array(pairs.map { ["key": $0, "value": $1] })
      }
      return .object(Document(pairs.map { ($0.text ?? "", $1) }))
    default: return nil
    }
  }
}
