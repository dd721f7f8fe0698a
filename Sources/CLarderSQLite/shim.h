#ifndef CLARDERSQLITE_SHIM_H
#define CLARDERSQLITE_SHIM_H

// Swift can't call a function with a variable number of arguments. Declared here instead of including sqlite3.h, whose
// types GRDBSQLite already has.
extern int sqlite3_config(int option, ...);

/// Sets from how many bytes on SQLite writes the journal of a statement to a file: `SQLITE_CONFIG_STMTJRNL_SPILL` of
/// <https://www.sqlite.org/c3ref/c_config_covering_index_scan.html>.
static inline int larder_sqlite_set_statement_journal_spill(int bytes) {
  return sqlite3_config(26, bytes);
}

#endif
