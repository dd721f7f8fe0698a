/// How the selected values of rows become results.
///
/// The loops over rows are closures of their own rather than loops over `one`, so that the compiler can specialize them
/// in a module that knows the types.
@usableFromInline
struct RowDecoding<Output>: Sendable {
  /// Reads the values of the current row.
  @usableFromInline let one: @Sendable (inout SelectedValues) throws -> Output
  /// Reads all remaining rows.
  @usableFromInline let all: @Sendable (inout RowCursor, inout SelectedValues, inout [Output]) throws -> Void
  /// Calls the closure with each of the remaining rows.
  @usableFromInline let forEach:
    @Sendable (inout RowCursor, inout SelectedValues, (Output) throws -> Void) throws -> Void

  /// Creates the decoding by a closure.
  @inlinable
  @inline(__always)
  init(_ one: @escaping @Sendable (inout SelectedValues) throws -> Output) {
    self.one = one
    all = { cursor, row, results in
      guard try cursor.begin() else { return }
      row.isStrict = cursor.isStrict
      repeat {
        row.begin()
        results.append(try one(&row))
      } while try cursor.step()
    }
    forEach = { cursor, row, body in
      guard try cursor.begin() else { return }
      row.isStrict = cursor.isStrict
      repeat {
        row.begin()
        try body(try one(&row))
      } while try cursor.step()
    }
  }

  /// Creates the decoding of values as a tuple of them.
  @inlinable
  init<each Value>(_ readers: repeat ValueReader<each Value>) where Output == (repeat each Value) {
    let readers = (repeat each readers)
    self.init { row in (repeat try (each readers).read(row.advance())) }
  }

  /// Returns the decoding of what the closure makes of a result.
  ///
  /// Its loops are its own: those of this decoding would call the closure for each row by way of another.
  @inlinable
  @inline(__always)
  func map<Mapped>(_ transform: @escaping @Sendable (Output) throws -> Mapped) -> RowDecoding<Mapped> {
    RowDecoding<Mapped> { [one] row in try transform(try one(&row)) }
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
