import CLarderSQLite
import GRDBSQLite

/// The journal with which SQLite undoes a single statement that fails in the middle of a transaction.
///
/// It holds each page that the statement changes, as it was before. A row with triggers of derived values, full-text
/// indexes, attachments or sync changes half a dozen. By default SQLite moves the journal to a file once one statement
/// has changed 16 pages, as splits of B-trees do, and from then on writes it with two calls of the system for each page,
/// until the transaction ends. Inserting 100,000 tracked rows made 1.1 million such calls.
enum StatementJournal {
  /// Lets SQLite keep journals of up to 1 MiB in memory, in the whole process.
  ///
  /// If it can't, that costs time only. Evaluated once, and before this module opens its first connection.
  static let staysInMemory = larder_sqlite_keep_statement_journals() == SQLITE_OK
}
