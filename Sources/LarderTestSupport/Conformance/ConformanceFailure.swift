/// The error of a type that doesn't fulfill the requirements of `StoreReader` or `StoreWriter`.
public struct ConformanceFailure: Error, Sendable, CustomStringConvertible {
  /// The expected and the actual result, and the place in the suite.
  public let description: String

  init(_ problem: String, file: StaticString, line: UInt) {
    description = "\(problem) (\(file):\(line))"
  }
}

/// Throws if the two differ.
func expect<Value: Equatable>(
  _ found: Value, equals expected: Value, _ promise: String, file: StaticString = #fileID, line: UInt = #line
) throws {
  guard found == expected else {
    throw ConformanceFailure("\(promise): expected \(expected), found \(found)", file: file, line: line)
  }
}

/// Throws if the condition is false.
func expect(_ condition: Bool, _ promise: String, file: StaticString = #fileID, line: UInt = #line) throws {
  guard condition else { throw ConformanceFailure(promise, file: file, line: line) }
}

/// Throws if the closure doesn't throw an error of the type that the test accepts.
func expectError<Failure: Error>(
  _ type: Failure.Type, _ promise: String, file: StaticString = #fileID, line: UInt = #line,
  where test: (Failure) -> Bool = { _ in true }, _ body: () throws -> Void
) throws {
  do {
    try body()
  } catch let error as Failure {
    guard test(error) else { throw ConformanceFailure("\(promise): found \(error)", file: file, line: line) }
    return
  }
  throw ConformanceFailure("\(promise): nothing was thrown", file: file, line: line)
}
