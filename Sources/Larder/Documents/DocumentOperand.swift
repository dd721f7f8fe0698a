import Foundation

/// What a condition compares a property with: a value, or a date or decimal that documents store as text but compare in
/// its own order.
enum DocumentOperand: Sendable, Hashable {
  case value(DocumentValue)
  /// A time in seconds since 2001. Texts that are dates compare with it chronologically.
  case time(Double)
  /// A decimal. Numbers, and texts that are numbers, compare with it by size.
  case decimal(Decimal)
  /// The values of a list, one of which has to match.
  case list([DocumentOperand])
  /// A value that no document can hold.
  case invalid(StoreError)

  init(_ value: some DocumentValueConvertible) {
    switch value {
    case let date as Date where !date.timeIntervalSinceReferenceDate.isNaN:
      self = .time(date.timeIntervalSinceReferenceDate)
    case let decimal as Decimal where !decimal.isNaN: self = .decimal(decimal)
    default:
      do {
        self = .value(try value.documentValue)
      } catch let error as StoreError {
        self = .invalid(error)
      } catch {
        self = .invalid(
          StoreError(
            .invalidValue,
            "A condition's value cannot be kept in a document: \(type(of: value)). Compare with another one."))
      }
    }
  }

  /// Creates the operand of an operator; each element of a list becomes its own operand.
  init(_ value: some DocumentValueConvertible, for comparison: Condition.Operator) {
    switch value {
    case let dates as [Date?] where comparison == .inList: self = .list(dates.map { DocumentOperand($0) })
    case let decimals as [Decimal?] where comparison == .inList: self = .list(decimals.map { DocumentOperand($0) })
    default: self.init(value)
    }
  }

  /// The value as a document stores it.
  var documentValue: DocumentValue {
    switch self {
    case .value(let value): value
    case .time(let seconds):
      DocumentDate.text(Date(timeIntervalSinceReferenceDate: seconds)).map { .text($0) } ?? .real(seconds)
    case .decimal(let decimal): .text(decimal.canonicalText)
    case .list(let operands): .array(operands.map(\.documentValue))
    case .invalid: .null
    }
  }
}
