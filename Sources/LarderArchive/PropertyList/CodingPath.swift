/// The keys that lead to a value, from the inside out, so that appending one copies nothing.
final class CodingPath {
  private let outer: CodingPath?
  private let key: any CodingKey

  init(_ outer: CodingPath?, _ key: any CodingKey) {
    self.outer = outer
    self.key = key
  }

  /// The keys, the outermost first.
  static func keys(_ path: CodingPath?, _ last: (any CodingKey)? = nil) -> [any CodingKey] {
    var keys: [any CodingKey] = []
    if let last { keys.append(last) }
    var path = path
    while let step = path {
      keys.append(step.key)
      path = step.outer
    }
    return keys.reversed()
  }
}

/// A key that no type declares: the index of an element, or a name.
struct PlainKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(_ index: Int) {
    intValue = index
    stringValue = String(index)
  }
  init(_ name: String) {
    intValue = nil
    stringValue = name
  }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { self.init(intValue) }
}
