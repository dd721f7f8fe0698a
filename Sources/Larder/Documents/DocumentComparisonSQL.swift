import Foundation

/// Writes one comparison as SQL.
///
/// The property's value comes first, as SQLite takes it out of JSON: an index is on that. What follows looks at its
/// kind, which SQL values do not have: to SQLite true is 1, an array is its text, and every text is greater than every
/// number.
struct DocumentComparisonSQL {
  private let path: DocumentPath
  private let comparison: Condition.Operator
  private let operand: DocumentOperand
  private let value: String
  private let type: String
  /// Returns the value of a text that contains NULs, at which SQLite's own functions would stop.
  private let wholeText: String

  private static let hasNull = "instr(json, '\\u0000') > 0"
  /// SQLite rejects long patterns.
  private static let patternLimit = 10_000

  init(_ path: DocumentPath, _ comparison: Condition.Operator, _ operand: DocumentOperand) {
    self.path = path
    self.comparison = comparison
    self.operand = operand
    value = DocumentSQL.value(path)
    type = DocumentSQL.type(path)
    wholeText = DocumentSQL.value(path, holdsNull: true)
  }

  func write(isNegated: Bool, _ writer: inout SQLWriter) throws {
    if isNegated { writer.write("(") }
    switch comparison {
    case .equal: try writeEqual(operand, &writer)
    case .notEqual:
      writer.write("(\(value) IS NOT NULL AND ")
      try writeEqual(operand, &writer)
      writer.write(" IS NOT TRUE)")
    case .lessThan, .greaterThan, .lessThanOrEqual, .greaterThanOrEqual: try writeOrder(&writer)
    case .contains: try writeContains(&writer)
    case .inList: try writeInList(&writer)
    }
    if isNegated { writer.write(" IS NOT TRUE)") }
  }

  // MARK: Equality

  private func writeEqual(_ operand: DocumentOperand, _ writer: inout SQLWriter) throws {
    switch operand {
    case .invalid(let error): throw named(error)
    case .list: try writeEqual(.value(operand.documentValue), &writer)
    case .decimal(let decimal):
      writer.write("(\(type) IN ('integer', 'real', 'text') AND larder_decimal_order(\(value), ")
      writer.bind(.text(decimal.canonicalText))
      writer.write(") = 0)")
    case .time(let seconds):
      writeTime(.equal, seconds, &writer)
    case .value(.null): writer.write("(\(value) IS NULL)")
    case .value(.bool(let bool)): writer.write("(\(value) = \(bool ? 1 : 0) AND \(type) = '\(bool)')")
    case .value(.integer), .value(.real):
      writer.write("(\(value) = ")
      writer.bind(try sqlValue(operand.documentValue))
      writer.write(" AND \(type) IN ('integer', 'real'))")
    case .value(.text(let text)): writeEqual(text, &writer)
    case .value(.array(let values)):
      writer.write("(\(type) = 'array' AND larder_same(\(value), ")
      writer.bind(.text(try DocumentWriter.json(of: values)))
      writer.write("))")
    case .value(.object(let document)):
      writer.write("(\(type) = 'object' AND larder_same(\(value), ")
      writer.bind(.text(try DocumentWriter.json(of: document)))
      writer.write("))")
    }
  }

  private func writeEqual(_ text: String, _ writer: inout SQLWriter) {
    let holdsNull = text.utf8.contains(0)
    writer.write("(\(holdsNull ? wholeText : value) = ")
    writer.bind(.text(text))
    writer.write(path.isKey ? ")" : " AND \(type) = 'text'\(holdsNull ? "" : isWhole))")
  }

  /// The condition that the text has no characters after those that SQLite's functions returned.
  private var isWhole: String { path.isKey ? "" : " AND NOT (\(Self.hasNull) AND \(wholeText) IS NOT \(value))" }

  // MARK: Order

  private func writeOrder(_ writer: inout SQLWriter) throws {
    switch operand {
    case .invalid(let error): throw named(error)
    case .time(let seconds): writeTime(comparison, seconds, &writer)
    case .decimal(let decimal):
      writer.write("(\(type) IN ('integer', 'real', 'text') AND larder_decimal_order(\(value), ")
      writer.bind(.text(decimal.canonicalText))
      writer.write(") \(comparison.rawValue) 0)")
    case .value(.integer), .value(.real):
      writer.write("(\(value) \(comparison.rawValue) ")
      writer.bind(try sqlValue(operand.documentValue))
      writer.write(" AND \(type) IN ('integer', 'real'))")
    case .value(.text(let text)): writeOrder(text, &writer)
    case .value, .list: writer.write("0")
    }
  }

  /// A text that SQLite has truncated at its first NUL is greater than the truncated text.
  private func writeOrder(_ text: String, _ writer: inout SQLWriter) {
    guard !path.isKey, !text.utf8.contains(0) else {
      writer.write("(\(text.utf8.contains(0) ? wholeText : value) \(comparison.rawValue) ")
      writer.bind(.text(text))
      return writer.write(" AND \(type) = 'text')")
    }
    let isGreater = comparison == .greaterThan || comparison == .greaterThanOrEqual
    writer.write("(\(value) \(isGreater ? ">=" : "<=") ")
    writer.bind(.text(text))
    writer.write(" AND \(type) = 'text'")
    if comparison == .greaterThan || comparison == .lessThanOrEqual {
      let isCut = "(\(Self.hasNull) AND \(wholeText) IS NOT \(value))"
      writer.write(" AND (\(value) <> ")
      writer.bind(.text(text))
      writer.write(" OR \(isGreater ? isCut : "NOT \(isCut)"))")
    } else if comparison == .lessThan {
      writer.write(" AND \(value) <> ")
      writer.bind(.text(text))
    }
    writer.write(")")
  }

  private func writeTime(_ comparison: Condition.Operator, _ seconds: Double, _ writer: inout SQLWriter) {
    let bounds = DocumentDate.bounds(around: seconds)
    writer.write("(")
    // An index can find the days around it.
    if comparison != .lessThan, comparison != .lessThanOrEqual {
      writer.write("\(value) >= ")
      writer.bind(.text(bounds.low))
      writer.write(" AND ")
    }
    writer.write("\(value) < ")
    writer.bind(.text(comparison == .greaterThan || comparison == .greaterThanOrEqual ? ":" : bounds.high))
    writer.write(" AND larder_time(\(value)) \(comparison.rawValue) ")
    writer.bind(.real(seconds))
    writer.write(" AND \(type) = 'text')")
  }

  // MARK: Containing

  private func writeContains(_ writer: inout SQLWriter) throws {
    if case .invalid(let error) = operand { throw named(error) }
    // Within the subquery `json` and `key` are columns of json_each.
    let array = DocumentSQL.value(path, of: "larder_document")
    writer.write("(CASE \(type) WHEN 'array' THEN ")
    if case .value(.text(let text)) = operand {
      let element = try DocumentWriter.json(of: .text(text))
      func writeWhole(_ writer: inout SQLWriter) {
        writer.write("larder_has_element(\(array), ")
        writer.bind(.text(element))
        writer.write(")")
      }
      if text.utf8.contains(0) {
        writeWhole(&writer)
      } else {
        writer.write("CASE WHEN \(Self.hasNull) THEN ")
        writeWhole(&writer)
        writer.write(" ELSE ")
        try writeElements(array, &writer)
        writer.write(" END")
      }
      writer.write(" WHEN 'text' THEN ")
      writePart(text, &writer)
    } else {
      try writeElements(array, &writer)
    }
    writer.write(" ELSE 0 END)")
  }

  private func writeElements(_ array: String, _ writer: inout SQLWriter) throws {
    writer.write("EXISTS (SELECT 1 FROM json_each(\(array)) AS larder_element WHERE ")
    let (value, type) = ("larder_element.value", "larder_element.type")
    switch operand {
    case .invalid(let error): throw named(error)
    case .decimal(let decimal):
      writer.write("\(type) IN ('integer', 'real', 'text') AND larder_decimal_order(\(value), ")
      writer.bind(.text(decimal.canonicalText))
      writer.write(") = 0")
    case .time(let seconds):
      writer.write("\(type) = 'text' AND larder_time(\(value)) = ")
      writer.bind(.real(seconds))
    case .value(.null): writer.write("\(type) = 'null'")
    case .value(.bool(let bool)): writer.write("\(type) = '\(bool)'")
    case .value(.integer), .value(.real):
      writer.write("\(type) IN ('integer', 'real') AND \(value) = ")
      writer.bind(try sqlValue(operand.documentValue))
    case .value(.text(let text)):
      writer.write("\(type) = 'text' AND \(value) = ")
      writer.bind(.text(text))
    case .value(.array), .value(.object), .list:
      let wanted = operand.documentValue
      writer.write("\(type) = '\(wanted.array == nil ? "object" : "array")' AND larder_same(\(value), ")
      writer.bind(.text(try DocumentWriter.json(of: wanted)))
      writer.write(")")
    }
    writer.write(")")
  }

  private func writePart(_ part: String, _ writer: inout SQLWriter) {
    func writeWhole(_ writer: inout SQLWriter) {
      writer.write("larder_has_part(\(wholeText), ")
      writer.bind(.text(part))
      writer.write(")")
    }
    // LIKE only compares up to the first NUL.
    if part.utf8.contains(0) || part.utf8.count > Self.patternLimit || path.isKey { return writeWhole(&writer) }
    writer.write("CASE WHEN \(Self.hasNull) THEN ")
    writeWhole(&writer)
    writer.write(" ELSE \(value) LIKE ")
    writer.bind(.text("%\(part.escaping("\\", "%", "_", by: "\\"))%"))
    writer.write(" ESCAPE '\\' END")
  }

  // MARK: Lists

  private func writeInList(_ writer: inout SQLWriter) throws {
    let operands: [DocumentOperand]
    switch operand {
    case .list(let values): operands = values
    case .value(.array(let values)): operands = values.map { .value($0) }
    default:
      throw StoreError(
        .invalidValue, property: path.description,
        "The condition on \(path) is inList, and its value is no array. Give the values as an array.")
    }
    var numbers: [DocumentValue] = []
    var texts: [DocumentValue] = []
    var others: [DocumentOperand] = []
    var seen: Set<DocumentOperand> = []
    for operand in operands {
      switch operand {
      case .value(.integer(let integer)): numbers.append(.integer(integer))
      case .value(.real(let real)):
        // JSON can't represent infinity, which no document contains.
        if try sqlValue(.real(real)).real?.isFinite == true { numbers.append(.real(real)) }
      case .value(.text(let text)) where !text.utf8.contains(0): texts.append(.text(text))
      case .value(.null), .value(.bool), .time, .decimal: if seen.insert(operand).inserted { others.append(operand) }
      // They may contain texts that are equal in Swift but differ in the file.
      default: others.append(operand)
      }
    }
    var parts: [(inout SQLWriter) throws -> Void] = []
    if !numbers.isEmpty { parts.append { try writeIn(numbers, " AND \(type) IN ('integer', 'real')", &$0) } }
    if !texts.isEmpty { parts.append { try writeIn(texts, path.isKey ? "" : " AND \(type) = 'text'\(isWhole)", &$0) } }
    for operand in others { parts.append { try writeEqual(operand, &$0) } }
    guard !parts.isEmpty else { return writer.write("0") }
    try Self.join(parts[...], &writer)
  }

  private func writeIn(_ values: [DocumentValue], _ condition: String, _ writer: inout SQLWriter) throws {
    writer.write("(\(value) IN (SELECT value FROM json_each(")
    writer.bind(.text(try DocumentWriter.json(of: values)))
    writer.write("))\(condition))")
  }

  /// Joins by OR in halves, because SQLite limits the depth of an expression to a thousand.
  private static func join(_ parts: ArraySlice<(inout SQLWriter) throws -> Void>, _ writer: inout SQLWriter) throws {
    guard parts.count > 1 else {
      for part in parts { try part(&writer) }
      return
    }
    let middle = parts.startIndex + parts.count / 2
    writer.write("(")
    try join(parts[..<middle], &writer)
    writer.write(" OR ")
    try join(parts[middle...], &writer)
    writer.write(")")
  }

  // MARK: Values

  /// Returns the number as SQLite compares it. Throws for NaN, which SQLite would treat as NULL.
  private func sqlValue(_ value: DocumentValue) throws -> Value {
    switch value {
    case .integer(let integer): return .integer(integer)
    case .real(let real) where !real.isNaN: return .real(real)
    default:
      throw StoreError(
        .invalidValue, property: path.description,
        "The condition on \(path) compares with NaN, to which no number is equal. Compare with a number, or with nil.")
    }
  }

  private func named(_ error: StoreError) -> StoreError {
    StoreError(
      error.code, model: error.model, property: path.description,
      "The condition on \(path) cannot be asked. \(error.message)")
  }
}
