/// Joins the parts of a name with underscores. If parts contain underscores themselves, the number in each part is
/// appended: the index of `a_b` on `c` and that of `a` on `b` and `c` must have different names.
struct UnambiguousName: CustomStringConvertible {
  let description: String

  init(_ parts: [String]) {
    let name = parts.joined(separator: "_")
    let underscores = parts.map { $0.utf8.count { $0 == UInt8(ascii: "_") } }
    description =
      underscores.allSatisfy { $0 == 0 } ? name : "\(name)_\(underscores.map(String.init).joined(separator: "."))"
  }
}
