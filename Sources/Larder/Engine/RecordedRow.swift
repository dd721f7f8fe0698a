import GRDBSQLite

/// The encoded columns of one value, to be bound to a statement later, possibly by another task.
///
/// `@unchecked Sendable`: the memory is only written during initialization and only read afterwards.
final class RecordedRow: @unchecked Sendable {
  private let arena = BindingArena()

  /// Validates and encodes the value, in the calling task.
  ///
  /// - Throws: What ``Model/validate()`` throws; ``StoreError`` `.invalidValue` for a value that can't be stored.
  init<M: Model>(_ value: M) throws {
    try value.validate()
    var row = RowWriter(recordingInto: arena)
    do {
      try value.encode(to: &row)
    } catch {
      throw Connection.naming(error, M.self, M.schema.writtenColumns, at: Int(row.index) - 1)
    }
  }

  deinit {
    arena.deallocate()
  }

  /// Binds the columns and executes the statement.
  func execute(_ execution: inout RowExecution) throws {
    for (position, value) in arena.recording.enumerated() {
      let parameter = Int32(position + 1)
      // The memory outlives the execution, so SQLite doesn't have to copy it.
      let result =
        switch value {
        case .null: sqlite3_bind_null(execution.statement, parameter)
        case .integer(let integer): sqlite3_bind_int64(execution.statement, parameter, integer)
        case .real(let real): sqlite3_bind_double(execution.statement, parameter, real)
        case .text(let bytes):
          sqlite3_bind_text64(
            execution.statement, parameter, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), UInt64(bytes.count),
            nil, UInt8(SQLITE_UTF8))
        case .blob(let bytes):
          sqlite3_bind_blob64(execution.statement, parameter, bytes.baseAddress, UInt64(bytes.count), nil)
        }
      guard result == SQLITE_OK else { throw ResultCode(result) }
    }
    try execution.step()
  }
}
