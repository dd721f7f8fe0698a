import Foundation
import Larder
package import LarderSync

/// The name of a row: its table, whose name is compared byte by byte, and its key.
package struct RowName: Hashable, Sendable, CustomStringConvertible {
  package let table: String
  package let key: [ReplicatedValue]

  package init(table: String, key: [ReplicatedValue]) {
    (self.table, self.key) = (table, key)
  }

  init(_ state: RowState) {
    (table, key) = (state.table, state.key)
  }

  package var description: String { "\(table) \(key.map(\.shown))" }

  package static func == (left: RowName, right: RowName) -> Bool {
    left.table.utf8.elementsEqual(right.table.utf8) && left.key == right.key
  }

  package func hash(into hasher: inout Hasher) {
    for byte in table.utf8 { hasher.combine(byte) }
    hasher.combine(key)
  }

  /// The greatest key comes last, table by table.
  static func < (left: RowName, right: RowName) -> Bool {
    if !left.table.utf8.elementsEqual(right.table.utf8) {
      return left.table.utf8.lexicographicallyPrecedes(right.table.utf8)
    }
    for (left, right) in zip(left.key, right.key) where left != right { return left < right }
    return left.key.count < right.key.count
  }
}

extension RowState {
  var name: RowName { RowName(self) }
  var isDocument: Bool { table.hasPrefix(OracleTable.documents) }
  /// The causal length of the last insertion.
  var insertionLength: Int64 { isThere ? causalLength : causalLength - 1 }
}

extension ReplicatedValue {
  /// The value as text that shows every bit.
  var shown: String {
    switch self {
    case .null: "null"
    case .integer(let number): "\(number)"
    case .real(let number): "real \(number.bitPattern)"
    case .text(let bytes): "\"\(String(decoding: bytes, as: UTF8.self))\""
    case .blob(let bytes): "blob \(bytes.base64EncodedString())"
    }
  }

  /// The value of a column.
  init(_ value: Value) {
    self =
      switch value {
      case .null: .null
      case .integer(let number): .integer(number)
      case .real(let number): .real(number)
      case .text(let text): .text(Data(text.utf8))
      case .blob(let data): .blob(data)
      }
  }
}
