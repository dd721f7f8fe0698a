import Foundation

/// A part of a condition that a person wrote: a value of the row, a constant, or a condition.
struct ConditionOperand {
  enum Constant {
    case null
    case bool(Bool)
    /// A number, as it is written.
    case number(String)
    case text(String)
    case date(Date)
  }

  enum Content {
    case constant(Constant)
    /// A column, whose type converts the constants beside it.
    case property(SQLNode, TableDescription.Property)
    /// A value that is computed.
    case value(SQLNode, ColumnType)
    /// A value within JSON: of any kind.
    case untyped(SQLNode)
    /// A column that SQL declared without a type: its values are of any kind.
    case column(SQLNode)
    case condition(SQLNode)
    case rows(ConditionRows)
  }

  let content: Content
  /// The number of characters before it.
  let position: Int
  /// Whether texts compare without regard to case.
  var isFolded = false

  var isConstant: Bool { if case .constant = content { true } else { false } }

  var isText: Bool { if case .constant(.text) = content { true } else { false } }

  var isDate: Bool { if case .constant(.date) = content { true } else { false } }

  /// Whether the column may hold dates in a form that is read when it is compared with one: as a text, for example.
  var readsDates: Bool {
    switch content {
    case .property(_, let property): property.type == .text
    case .column: true
    default: false
    }
  }

  /// The type that arithmetic computes with; nil for a constant and what isn't a number.
  var numberType: ColumnType? {
    switch content {
    case .property(_, let property) where [.integer, .float, .double, .decimal].contains(property.type):
      property.columnType
    case .value(_, let type)
    where type.storageClass == .integer || type.storageClass == .real || type.order == .decimal:
      type
    default: nil
    }
  }

  /// Returns the operand's node beside another, whose type a constant takes.
  func node(beside other: ConditionOperand?, of source: String) throws -> SQLNode {
    switch content {
    case .constant(let constant):
      do {
        let value = try constant.value(for: other?.content)
        guard isFolded || other?.isFolded == true, case .text(let text) = value else { return .value(value) }
        return .value(.text(text.caseFolded))
      } catch let error as StoreError {
        throw StoreError(at: position, of: source, error.message)
      } catch let failure as ValueFailure {
        throw StoreError(at: position, of: source, "The value \(failure.problem). \(failure.remedy).")
      }
    case .property(let node, _) where readsDates && other?.isDate == true,
      .column(let node) where other?.isDate == true:
      return .function(.moment, [node])
    case .property(let node, _), .value(let node, _), .untyped(let node), .column(let node):
      return isFolded || other?.isFolded == true ? node.caseFolded : node
    case .condition(let node): return node
    case .rows(let rows):
      throw StoreError(
        at: position, of: source,
        "\(rows.name) stands for several rows. Ask for \(rows.name).count, \(rows.name).isEmpty, or \(rows.name) contains (…)."
      )
    }
  }

  /// Returns the operand as a condition.
  func condition(of source: String) throws -> SQLNode {
    switch content {
    case .condition(let node): return node
    case .property(let node, let property) where property.type == .bool: return node
    case .constant(.bool(let bool)): return .value(.integer(bool ? 1 : 0))
    case .untyped(let node), .column(let node): return .compare(.equal, node, .value(.integer(1)))
    default:
      throw StoreError(
        at: position, of: source, "This is a value and no condition. Compare it with another, such as by ==.")
    }
  }
}

extension ConditionOperand.Constant {
  /// Returns the value in the form of what it is compared with.
  fileprivate func value(for other: ConditionOperand.Content?) throws -> Value {
    if case .null = self { return .null }
    switch other {
    case .property(_, let property): return try value(of: property)
    case .value(_, let type): return try value(of: type)
    case .column:
      guard case .date(let date) = self else { break }
      return .real(date.timeIntervalSinceReferenceDate)
    case .condition:
      guard case .bool(let bool) = self else { break }
      return .integer(bool ? 1 : 0)
    default: break
    }
    return try plainValue
  }

  /// The value beside another constant, or beside one of any kind.
  private var plainValue: Value {
    get throws {
      switch self {
      case .null: .null
      case .bool(let bool): .integer(bool ? 1 : 0)
      case .number(let text): try number(text)
      case .text(let text): .text(text)
      case .date(let date): .text(ISO8601.text(from: date) ?? "")
      }
    }
  }

  private func number(_ text: String) throws -> Value {
    if let integer = Int64(text) { return .integer(integer) }
    guard let real = Double(text), real.isFinite else {
      throw ValueFailure(problem: "is no number that fits", remedy: "Write a smaller one")
    }
    return .real(real)
  }

  private func value(of property: TableDescription.Property) throws -> Value {
    switch (self, property.type) {
    case (_, .any), (_, .json): return try plainValue
    // A whole number and one with a fraction compare as numbers, whichever of them the column has.
    case (.number(let text), .integer): return try number(text)
    case (.number(let text), .double), (.number(let text), .float): return .real(try Double(storedValue: number(text)))
    case (.number(let text), .decimal): return try property.stored(.text(text))
    case (.date(let date), .date): return try property.stored(.real(date.timeIntervalSinceReferenceDate))
    case (.bool(let bool), .bool): return .integer(bool ? 1 : 0)
    case (.text(let text), .date), (.text(let text), .uuid), (.text(let text), .text):
      return try property.stored(.text(text))
    case (.date(let date), .text): return .real(date.timeIntervalSinceReferenceDate)
    case (.text(let text), .data):
      guard let data = Data(base64Encoded: text) else { throw mismatch(property) }
      return .blob(data)
    default: throw mismatch(property)
    }
  }

  private func mismatch(_ property: TableDescription.Property) -> ValueFailure {
    let kind =
      switch self {
      case .null: "nil"
      case .bool: "a truth value"
      case .number: "a number"
      case .text: "a text"
      case .date: "a date"
      }
    return ValueFailure(
      problem: "is \(kind), and \(property.name) is a \(property.swiftType)", remedy: "Write a \(property.type.example)"
    )
  }

  private func value(of type: ColumnType) throws -> Value {
    switch self {
    case .number(let text) where type.order == .decimal:
      guard let decimal = Decimal(canonical: text) else {
        throw ValueFailure(problem: "is no decimal number that fits", remedy: "Write a shorter one")
      }
      return .text(decimal.canonicalText)
    case .number(let text) where type.storageClass == .integer || type.storageClass == .real: return try number(text)
    case .text(let text) where type.storageClass == .text && type.order == .stored: return .text(text)
    default:
      let expected =
        type.order == .decimal || type.storageClass == .integer || type.storageClass == .real ? "a number" : "a text"
      throw ValueFailure(problem: "is compared with \(expected)", remedy: "Write \(expected)")
    }
  }
}

extension PropertyType {
  /// How a value is written in a condition.
  fileprivate var example: String {
    switch self {
    case .bool: "truth value: true or false"
    case .integer: "number, such as 12"
    case .float, .double, .decimal: "number, such as 12.5"
    case .text: "text in quotation marks"
    case .date: "date, such as 2026-11-30 or 2026-11-30T18:00:00Z"
    case .uuid: "UUID in quotation marks"
    case .data: "text of Base64 in quotation marks"
    case .json, .any: "value"
    }
  }
}

/// The rows on the other side of a relationship, in a condition.
struct ConditionRows {
  let name: String
  let table: TableDescription
  let relationship: TableDescription.Relationship
  /// The key of the row that owns them.
  let owner: SQLNode
  /// The nesting depth of the subquery.
  let depth: Int

  var scope: ColumnScope { .rows(depth) }

  /// Returns what the rows, or those of them that satisfy a condition, answer.
  func asking(_ question: RelatedRows.Question, _ condition: SQLNode? = nil) -> SQLNode {
    let link: RelatedRows.Link =
      switch relationship.rows {
      case .reference(let column):
        .foreignKey(
          ColumnReference(
            table: table.name, name: column,
            type: table.property(column)?.columnType ?? ColumnType(storageClass: .blob, isOptional: true)))
      case .pairs(let pairs, let own, let other, let key): .pairs(table: pairs, own: own, other: other, key: key)
      }
    return .relatedRows(
      RelatedRows(table: table.name, name: name, depth: depth, link: link, owner: owner, condition: condition), question
    )
  }
}
