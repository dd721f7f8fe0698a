extension DocumentPredicate {
  /// Writes the predicate as SQL over the table of a collection.
  func write(_ writer: inout SQLWriter) throws {
    try Self.write(node, &writer)
  }

  /// Calls the closure with the name of each property in the predicate.
  func forEachProperty(_ body: (String) throws -> Void) rethrows {
    try Self.visit(node, body)
  }

  private static func visit(_ node: Node, _ body: (String) throws -> Void) rethrows {
    switch node {
    case .everything: break
    case .comparison(let property, _, _), .differs(let property, _): try body(property)
    case .and(let left, let right), .or(let left, let right):
      try visit(left, body)
      try visit(right, body)
    case .not(let node): try visit(node, body)
    }
  }

  private static func write(_ node: Node, _ writer: inout SQLWriter) throws {
    switch node {
    case .everything: writer.write("1")
    case .and(let left, let right), .or(let left, let right):
      writer.write("(")
      try write(left, &writer)
      if case .and = node { writer.write(" AND ") } else { writer.write(" OR ") }
      try write(right, &writer)
      writer.write(")")
    case .not(let node):
      writer.write("((")
      try write(node, &writer)
      writer.write(") IS NOT TRUE)")
    case .differs(let property, let value):
      writer.write("(\(DocumentSQL.value(property, holdsNull: holdsNull(value))) IS NOT ")
      writer.bind(try sqlValue(value, of: property))
      writer.write(")")
    case .comparison(let property, let comparison, let value): try write(property, comparison, value, &writer)
    }
  }

  private static func write(
    _ property: String, _ comparison: Condition.Operator, _ value: DocumentValue, _ writer: inout SQLWriter
  ) throws {
    let operand = DocumentSQL.value(property, holdsNull: holdsNull(value))
    switch comparison {
    case .equal, .notEqual:
      if value.isNull { return writer.write("(\(operand) IS \(comparison == .equal ? "" : "NOT ")NULL)") }
      writer.write("(\(operand) \(comparison.rawValue) ")
      writer.bind(try sqlValue(value, of: property))
      writer.write(")")
    case .lessThan, .greaterThan, .lessThanOrEqual, .greaterThanOrEqual:
      let bound = try sqlValue(value, of: property)
      writer.write("(\(operand) \(comparison.rawValue) ")
      writer.bind(bound)
      // To SQLite every text is greater than every number; a condition is about values of its own kind.
      let isGreater = comparison == .greaterThan || comparison == .greaterThanOrEqual
      if bound.text == nil, isGreater { writer.write(" AND \(operand) < ''") }
      if bound.text != nil, !isGreater { writer.write(" AND \(operand) >= ''") }
      writer.write(")")
    case .contains: try writeContains(property, value, &writer)
    case .inList:
      guard case .array(let values) = value else {
        throw StoreError(
          .invalidValue, property: property, "The condition on \(property) is inList, and its value is no array. Give the values as an array.")
      }
      writer.write("(\(operand) IN (SELECT value FROM json_each(")
      // JSON cannot say infinity, which no document holds.
      let finite = try values.filter { value in
        guard case .real = value else { return true }
        return try sqlValue(value, of: property).real?.isFinite == true
      }
      writer.bind(.text(try DocumentWriter.json(of: finite)))
      writer.write(")))")
    }
  }

  private static func holdsNull(_ value: DocumentValue) -> Bool {
    switch value {
    case .text(let text): text.utf8.contains(0)
    case .array(let values): values.contains(where: holdsNull)
    default: false
    }
  }

  private static func writeContains(_ property: String, _ value: DocumentValue, _ writer: inout SQLWriter) throws {
    // Within the subquery `json` and `key` are columns of json_each.
    let operand = DocumentSQL.value(property, of: "larder_document", holdsNull: holdsNull(value))
    let element = try sqlValue(value, of: property)
    writer.write("(CASE \(DocumentSQL.type(property)) WHEN 'array' THEN EXISTS (SELECT 1 FROM json_each(\(operand)) WHERE value IS ")
    writer.bind(element)
    writer.write(") WHEN 'object' THEN 0 ELSE ")
    let part: String? =
      switch element {
      case .text(let text): text
      case .integer(let integer): String(integer)
      case .real(let real): real.isFinite ? "\(real)" : nil
      case .null, .blob: nil
      }
    guard let part else { return writer.write("0 END)") }
    // LIKE compares up to the first NUL alone.
    if part.utf8.contains(0) {
      writer.write("instr(\(operand), ")
      writer.bind(.text(part))
      writer.write(") > 0 END)")
    } else {
      writer.write("\(operand) LIKE ")
      writer.bind(.text("%\(part.replacing("\\", with: "\\\\").replacing("%", with: "\\%").replacing("_", with: "\\_"))%"))
      writer.write(" ESCAPE '\\' END)")
    }
  }

  /// The value as SQLite takes it out of JSON. Throws for NaN, which SQLite would take for NULL.
  private static func sqlValue(_ value: DocumentValue, of property: String) throws -> Value {
    switch value {
    case .null: .null
    case .bool(let bool): .integer(bool ? 1 : 0)
    case .integer(let integer): .integer(integer)
    case .real(let real) where real.isNaN:
      throw StoreError(
        .invalidValue, property: property,
        "The condition on \(property) compares with NaN, to which no number is equal. Compare with a number, or with nil.")
    case .real(let real): .real(real)
    case .text(let text): .text(text)
    case .array(let values): .text(try DocumentWriter.json(of: values))
    case .object(let document): .text(try DocumentWriter.json(of: document))
    }
  }
}
