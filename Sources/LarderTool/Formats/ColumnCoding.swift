import Foundation
import Larder

/// How the values of a column are written to files and read from them.
///
/// What a property's own text or JSON would leave ambiguous is tagged: in JSON an object with one name, such as
/// `{"$bytes": "…"}`; in CSV by quotes, where text is quoted and everything else isn't.
struct ColumnCoding: Sendable {
  /// What the values are.
  enum Form: Sendable {
    /// Those of a property.
    case property(TableDescription.Property)
    /// Values of any kind, as SQL returns them.
    case any
    /// A date in seconds since 2001, or nil.
    case date
    /// JSON text that is a part of the row, as in documents.
    case json
  }

  /// The names that tag a value in JSON.
  enum Tag {
    static let bytes = "$bytes"
    static let integer = "$integer"
    static let json = "$json"
    static let real = "$real"
    static let text = "$text"
  }

  let name: String
  let form: Form

  init(_ name: String, _ form: Form) {
    self.name = name
    self.form = form
  }

  init(_ property: TableDescription.Property) {
    self.init(property.name, property.type == .any ? .any : .property(property))
  }

  /// Whether values are numbers, which a table aligns to the right.
  var isNumber: Bool {
    guard case .property(let property) = form else { return false }
    return [.integer, .float, .double, .decimal].contains(property.type)
  }

  /// Returns whether a value is of the kind that the column keeps. In files of other programs it needn't be.
  func fits(_ value: Value) -> Bool {
    guard case .property(let property) = form else { return true }
    switch (property.type, value) {
    case (_, .null), (.integer, .integer), (.float, .real), (.double, .real), (.text, .text), (.json, .text),
      (.data, .blob), (.date, .real), (.date, .text), (.uuid, .blob), (.uuid, .text):
      return true
    case (.decimal, .blob): return false
    case (.decimal, _): return true
    case (.bool, .integer(let integer)): return integer == 0 || integer == 1
    default: return false
    }
  }

  /// Returns the value for people to read; nil for no value.
  func display(_ value: Value) -> String? {
    switch form {
    case .property(let property) where fits(value):
      if case .blob(let data) = value, property.type == .data { return "\(data.count) bytes" }
      return property.text(of: value)
    case .date where value.real != nil: return Self.date(value)
    default: return value.isNull ? nil : value.description
    }
  }

  static func date(_ value: Value) -> String? {
    guard let seconds = value.real else { return nil }
    return (try? Date(timeIntervalSinceReferenceDate: seconds).documentValue)?.text ?? "\(seconds)"
  }
}
