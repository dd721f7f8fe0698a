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
  init<each Value>(_ readers: repeat ValueReader<each Value>) where Output == (repeat each Value) {
    let readers = (repeat each readers)
    self.init(
      one: { row in (repeat try (each readers).read(row.advance())) },
      all: { cursor, row, results in
        while try cursor.step() {
          row.begin()
          results.append((repeat try (each readers).read(row.advance())))
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

/// Reads values of a type from columns. Nothing but a closure, because a row copies the readers of all its values.
@frozen
@usableFromInline
struct ValueReader<Output>: Sendable {
  @usableFromInline let read: @Sendable (StoredColumn) throws -> Output

  @inlinable
  init(_ read: @escaping @Sendable (StoredColumn) throws -> Output) { self.read = read }
}

extension ColumnCoding {
  @usableFromInline var reader: ValueReader<Output> {
    ValueReader(read ?? { [decode] in try decode(try $0.exactValue) })
  }
}
