import Foundation
import Testing

@Suite("Sync: the generated code of the format")
struct GeneratedCodeTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../Sources/LarderSync/Wire").standardized

  /// A field: `Opening 9 RepeatedString names`.
  private typealias Field = String

  private func lines(_ file: String) throws -> [String] {
    try String(contentsOf: Self.folder.appending(path: file), encoding: .utf8).components(separatedBy: "\n")
  }

  /// The fields of sync.proto.
  private func declared() throws -> Set<Field> {
    var (message, fields): (String, Set<Field>) = ("", [])
    for line in try lines("sync.proto") {
      if let match = line.wholeMatch(of: /message (\w+) \{/) { message = String(match.1) }
      guard let match = line.wholeMatch(of: /\s+(repeated )?(\w+) (\w+) = (\d+);.*/) else { continue }
      let type = String(match.2)
      let name = ["Compression": "Enum", "sint64": "SInt64", "uint32": "UInt32", "uint64": "UInt64"][type]
      fields.insert(
        "\(message) \(match.4) \(match.1 == nil ? "Singular" : "Repeated")\(name ?? type.capitalized) \(match.3)")
    }
    return fields
  }

  /// The fields that the code reads.
  private func generated() throws -> Set<Field> {
    var (message, names, fields): (String, [String], Set<Field>) = ("", [], [])
    for line in try lines("sync.pb.swift") {
      if let match = line.firstMatch(of: /protoMessageName: String = _protobuf_package \+ "\.(\w+)"/) {
        message = String(match.1)
      }
      if let match = line.firstMatch(of: /_NameMap\(bytecode: "(.*)"\)/) {
        names = match.1.matches(of: /[a-z][a-z_]+/).map { String($0.0) }.filter { $0 != "u" }
      }
      guard
        let match = line.firstMatch(
          of: /case (\d+): try \{ try decoder\.decode(\w+)Field\(value: &(?:self\.|_storage\._)(\w+)\)/)
      else { continue }
      // The names of Swift lack the underscores of the format's.
      let name = names.first { $0.replacing("_", with: "") == match.3.lowercased() }
      fields.insert("\(message) \(match.1) \(match.2) \(name ?? "?")")
    }
    return fields
  }

  @Test("it reads the fields of sync.proto: make protobuf was called after the last change of it")
  func fields() throws {
    let declared = try declared()
    #expect(declared.count > 50)
    #expect(try generated() == declared)
  }
}
