/// Why a value couldn't be stored or read. The store adds the model and the property.
@usableFromInline
struct ValueFailure: Error, Hashable {
  @usableFromInline let code: StoreError.Code
  @usableFromInline let problem: String
  @usableFromInline let remedy: String

  @usableFromInline
  init(_ code: StoreError.Code = .invalidValue, problem: String, remedy: String) {
    self.code = code
    self.problem = problem
    self.remedy = remedy
  }

  @usableFromInline
  static func unexpected(_ found: Value, expected: String) -> ValueFailure {
    if case .null = found {
      return ValueFailure(
        problem: "holds NULL where a value is required (\(expected))",
        remedy:
          "make the property optional, or fill the column with SQL in a migration, before it reads rows as the model")
    }
    return ValueFailure(
      problem: "holds a value of kind \(found.kindName) that is not \(expected)",
      remedy: "change the property's type to match the column, or convert the column with a migration")
  }
}
