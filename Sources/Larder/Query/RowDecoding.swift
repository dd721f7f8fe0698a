/// How the selected values of rows become results.
@usableFromInline
struct RowDecoding<Output>: Sendable {
  /// Reads the values of the current row.
  @usableFromInline let one: @Sendable (inout SelectedValues) throws -> Output
  /// Reads all remaining rows. It isn't a loop over `one`, so that the compiler can specialize the loop in a module
  /// that knows the types.
  @usableFromInline let all: @Sendable (inout RowCursor, inout SelectedValues, inout [Output]) throws -> Void

  @inlinable
  init(
    one: @escaping @Sendable (inout SelectedValues) throws -> Output,
    all: @escaping @Sendable (inout RowCursor, inout SelectedValues, inout [Output]) throws -> Void
  ) {
    self.one = one
    self.all = all
  }

  /// Creates the decoding of values as a tuple of them.
  @inlinable
  init<each Value>(_ codings: repeat ColumnCoding<each Value>) where Output == (repeat each Value) {
    let codings = (repeat each codings)
    self.init(
      one: { row in (repeat try row.next(each codings)) },
      all: { cursor, row, results in
        while try cursor.step() {
          row.begin()
          results.append((repeat try row.next(each codings)))
        }
      })
  }

  /// Creates the decoding by a closure.
  init(_ one: @escaping @Sendable (inout SelectedValues) throws -> Output) {
    self.init(one: one) { cursor, row, results in
      while try cursor.step() {
        row.begin()
        results.append(try one(&row))
      }
    }
  }

  /// Returns the decoding of what the closure makes of a result.
  @inlinable
  func map<Mapped>(_ transform: @escaping @Sendable (Output) throws -> Mapped) -> RowDecoding<Mapped> {
    RowDecoding<Mapped>(one: { [one] row in try transform(try one(&row)) }) { [one] cursor, row, results in
      while try cursor.step() {
        row.begin()
        results.append(try transform(try one(&row)))
      }
    }
  }
}
