/// A conformer of ``StoreReader`` or ``StoreWriter`` that does not do what the protocol promises.
public struct ConformanceFailure: Error, Sendable, CustomStringConvertible {
  /// What was expected, what came instead, and where the suite asked.
  public let description: String

  init(_ problem: String, file: StaticString, line: UInt) {
    description = "\(problem) (\(file):\(line))"
  }
}

/// Throws where the two differ.
func expect<Value: Equatable>(
  _ found: Value, equals expected: Value, _ promise: String, file: StaticString = #fileID, line: UInt = #line
) throws {
  guard found == expected else { throw ConformanceFailure("\(promise): expected \(expected), found \(found)", file: file, line: line) }
}

/// Throws where the condition is false.
func expect(_ condition: Bool, _ promise: String, file: StaticString = #fileID, line: UInt = #line) throws {
  guard condition else { throw ConformanceFailure(promise, file: file, line: line) }
}

/// Throws where the closure does not throw an error of the type that the test accepts.
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
