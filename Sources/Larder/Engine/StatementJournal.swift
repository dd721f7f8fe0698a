import CLarderSQLite
import GRDBSQLite

/// The journal with which SQLite undoes a single statement that fails in the middle of a transaction.
///
/// It holds each page that the statement changes, as it was before. A row with triggers of derived values, full-text
/// indexes, attachments or sync changes half a dozen. By default SQLite moves the journal to a file once one statement
/// has changed 16 pages, as a split of a B-tree does, and from then on writes it with two calls of the system for each
/// page, until the transaction ends. Inserting 100,000 tracked rows made 1.1 million such calls.
enum StatementJournal {
  private static let spill: Int32 = 256 * 1024

  /// Lets SQLite keep journals of up to 256 KiB in memory, in the whole process.
  ///
  /// Has to be called before SQLite is first used: if the program has used it already, its setting stays, which costs
  /// time only. Evaluated once, so that it's called before this module opens its first connection.
  static let staysInMemory = larder_sqlite_set_statement_journal_spill(spill) == SQLITE_OK
}
