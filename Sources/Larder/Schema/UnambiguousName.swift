/// The parts of a name with underscores between them. Where parts hold underscores themselves it ends with how many each of them holds: the index
/// of `a_b` over `c` and that of `a` over `b` and `c` must not have the same name.
struct UnambiguousName: CustomStringConvertible {
  let description: String

  init(_ parts: [String]) {
    let name = parts.joined(separator: "_")
    let underscores = parts.map { $0.utf8.count { $0 == UInt8(ascii: "_") } }
    description = underscores.allSatisfy { $0 == 0 } ? name : "\(name)_\(underscores.map(String.init).joined(separator: "."))"
  }
}
