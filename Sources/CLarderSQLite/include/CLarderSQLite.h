#ifndef CLARDERSQLITE_H
#define CLARDERSQLITE_H

/// Lets SQLite keep the journals of statements in memory up to 1 MiB, in the whole process.
///
/// Registers the VFS "larder" as the default one. It opens all other files as the default one before it does. Has to be
/// called once, and before the connections that are to have it are opened. Returns `SQLITE_OK`, or another result code
/// of SQLite, after which everything is as it was.
int larder_sqlite_keep_statement_journals(void);

#endif
