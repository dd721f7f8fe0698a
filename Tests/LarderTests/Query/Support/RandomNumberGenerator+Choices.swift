extension RandomNumberGenerator {
  /// Returns `true` about once in so many times.
  mutating func once(in times: Int) -> Bool { Int.random(in: 0..<times, using: &self) == 0 }

  /// Returns one of the values, of which there must be at least one.
  mutating func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: values.indices, using: &self)] }

  /// Returns one of the values, or `nil` about once in four times.
  mutating func pickOrNil<Value>(_ values: [Value]) -> Value? { once(in: 4) ? nil : pick(values) }
}
