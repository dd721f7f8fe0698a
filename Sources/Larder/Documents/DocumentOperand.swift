import Foundation

/// What a condition compares a property with: a value, or one that a document holds as text and that has an order of its own.
enum DocumentOperand: Sendable, Hashable {
  case value(DocumentValue)
  /// A time, in seconds since 2001: texts that are dates compare with it by time.
  case time(Double)
  /// Numbers, and texts that are numbers, compare with it by size.
  case decimal(Decimal)
  /// The values of a list, of which one suffices.
  case list([DocumentOperand])
  /// A value that no document can hold.
  case invalid(StoreError)

  init(_ value: some DocumentValueConvertible) {
    switch value {
    case let date as Date where !date.timeIntervalSinceReferenceDate.isNaN: self = .time(date.timeIntervalSinceReferenceDate)
    case let decimal as Decimal where !decimal.isNaN: self = .decimal(decimal)
    default:
      do {
        self = .value(try value.documentValue)
      } catch let error as StoreError {
        self = .invalid(error)
      } catch {
        self = .invalid(StoreError(.invalidValue, "A condition's value cannot be kept in a document: \(type(of: value)). Compare with another one."))
      }
    }
  }

  /// The operand of an operator: the elements of a list keep what they are.
  init(_ value: some DocumentValueConvertible, for comparison: Condition.Operator) {
    switch value {
    case let dates as [Date?] where comparison == .inList: self = .list(dates.map { DocumentOperand($0) })
    case let decimals as [Decimal?] where comparison == .inList: self = .list(decimals.map { DocumentOperand($0) })
    default: self.init(value)
    }
  }

  /// The value as a document holds it.
  var documentValue: DocumentValue {
    switch self {
    case .value(let value): value
    case .time(let seconds): DocumentDate.text(Date(timeIntervalSinceReferenceDate: seconds)).map { .text($0) } ?? .real(seconds)
    case .decimal(let decimal): .text(decimal.canonicalText)
    case .list(let operands): .array(operands.map(\.documentValue))
    case .invalid: .null
    }
  }
}
