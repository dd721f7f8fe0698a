extension ArchiveTag {
  /// Parts of a type's name in Swift that depend on the platform or the launch, and their replacements in archives.
  private static let replacements: [(prefix: [UInt8], isWhole: Bool, name: [UInt8])] = [
    ("FoundationEssentials.", false, "Foundation."), ("FoundationInternationalization.", false, "Foundation."),
    ("__C.NSDecimal", true, "Foundation.Decimal"), ("__C._NSRange", true, "Foundation._NSRange"),
    ("__C.CG", false, "Foundation.CG"), ("CoreGraphics.CG", false, "Foundation.CG"),
    ("CoreFoundation.CG", false, "Foundation.CG"),
  ].map { (Array($0.0.utf8), $0.1, Array($0.2.utf8)) }

  private static let unknownContext = Array("(unknown context at $".utf8)

  /// Returns the name of a type in archives, which is the same on every platform and in every launch.
  ///
  /// Foundation's types are in other modules on Linux than on Apple's systems, and the name of a private type contains
  /// an address that changes with each launch: `App.(unknown context at $55d0c2a4).Note` becomes `App.(private).Note`.
  package static func stable(_ name: String) -> String {
    let name = Array(name.utf8)
    var result: [UInt8] = []
    var index = 0
    while index < name.count {
      let rest = name[index...]
      if rest.starts(with: unknownContext), let end = rest.firstIndex(of: UInt8(ascii: ")")) {
        result += "(private)".utf8
        index = end + 1
      } else if isStart(index, of: name),
        let known = replacements.first(where: { matches(rest, $0.prefix, isWhole: $0.isWhole) })
      {
        result += known.name
        index += known.prefix.count
      } else {
        result.append(name[index])
        index += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func matches(_ rest: ArraySlice<UInt8>, _ prefix: [UInt8], isWhole: Bool) -> Bool {
    guard rest.starts(with: prefix) else { return false }
    let next = rest.dropFirst(prefix.count).first
    return !isWhole || next.map { !isPart($0) && $0 != UInt8(ascii: ".") } ?? true
  }

  private static func isStart(_ index: Int, of name: [UInt8]) -> Bool {
    index == 0 || !isPart(name[index - 1]) && name[index - 1] != UInt8(ascii: ".")
  }

  /// Whether a byte belongs to an identifier.
  private static func isPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"),
      0x80...:
      true
    default: false
    }
  }
}
