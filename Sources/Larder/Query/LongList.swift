import Foundation

/// The values of a long `isIn` as one parameter: a JSON array, and the SQL that converts its elements to values.
struct LongList {
  /// The array.
  let json: String
  /// The SQL that converts an element of the array, named `value`, to a value.
  let element: String

  /// Creates the list; nil if its values aren't all constants of one kind.
  init?(_ nodes: [SQLNode]) {
    var values: [Value] = []
    for node in nodes {
      guard case .value(let value) = node else { return nil }
      values.append(value)
    }
    let integers = values.compactMap { if case .integer(let integer) = $0 { integer } else { nil } }
    // Passes the bits of doubles, because decimal digits in JSON need not convert back to the same double.
    let reals = values.compactMap { if case .real(let real) = $0 { Int64(bitPattern: real.bitPattern) } else { nil } }
    let texts = values.compactMap(\.text)
    let blobs = values.compactMap(\.blob)
    if integers.count == values.count {
      self.init(integers, "value")
    } else if reals.count == values.count {
      self.init(reals, "larder_real(value)")
    } else if texts.count == values.count {
      // SQLite ends JSON text at a NUL.
      if texts.contains(where: { $0.utf8.contains(0) }) {
        self.init(texts.map { Data($0.utf8) }, "CAST(larder_blob(value) AS TEXT)")
      } else {
        self.init(texts, "value")
      }
    } else if blobs.count == values.count {
      self.init(blobs, "larder_blob(value)")
    } else {
      return nil
    }
  }

  private init?(_ values: some Encodable, _ element: String) {
    guard let json = try? JSONEncoder().encode(values) else { return nil }
    self.json = String(decoding: json, as: UTF8.self)
    self.element = element
  }
}
