#include "CLarderSQLite.h"

#include <sqlite3.h>
#include <string.h>

// A journal of statements holds the pages that a statement changes as they were before, so that it can be undone alone.
// SQLite keeps 64 KiB of it, and then opens a file for the rest of the transaction. `SQLITE_CONFIG_STMTJRNL_SPILL` can't
// raise that enough: what was kept is written to the file in one piece, and the VFS for Unix writes at most 128 KiB in a
// piece and takes more for a full disk. Hence a file that is in memory itself.

/// The most that is kept of a journal, in bytes.
#define LIMIT (1024 * 1024)

/// The most that is written to a file at once, in bytes.
#define PIECE (64 * 1024)

typedef struct Journal {
  sqlite3_file base;
  /// Takes over after `LIMIT`; no file has been opened as long as it has no methods. Its memory follows the struct's.
  sqlite3_file *file;
  unsigned char *bytes;
  sqlite3_int64 size;
  sqlite3_int64 capacity;
  int flags;
} Journal;

static sqlite3_vfs *system_vfs;

static int is_in_memory(const Journal *journal) { return journal->file->pMethods == NULL; }

static int journal_close(sqlite3_file *base) {
  Journal *journal = (Journal *)base;
  sqlite3_free(journal->bytes);
  journal->bytes = NULL;
  return is_in_memory(journal) ? SQLITE_OK : journal->file->pMethods->xClose(journal->file);
}

static int journal_read(sqlite3_file *base, void *to, int count, sqlite3_int64 offset) {
  Journal *journal = (Journal *)base;
  if (!is_in_memory(journal)) return journal->file->pMethods->xRead(journal->file, to, count, offset);
  sqlite3_int64 available = journal->size - offset;
  if (available < 0) available = 0;
  if (available > count) available = count;
  if (available > 0) memcpy(to, journal->bytes + offset, (size_t)available);
  if (available == count) return SQLITE_OK;
  memset((unsigned char *)to + available, 0, (size_t)(count - available));
  return SQLITE_IOERR_SHORT_READ;
}

/// Opens the file and writes what is in memory to it. If that fails, the journal stays in memory as it was.
static int move_to_file(Journal *journal) {
  int code = system_vfs->xOpen(system_vfs, NULL, journal->file, journal->flags, NULL);
  for (sqlite3_int64 offset = 0; code == SQLITE_OK && offset < journal->size; offset += PIECE) {
    sqlite3_int64 rest = journal->size - offset;
    int count = rest < PIECE ? (int)rest : PIECE;
    code = journal->file->pMethods->xWrite(journal->file, journal->bytes + offset, count, offset);
  }
  if (code != SQLITE_OK) {
    if (journal->file->pMethods != NULL) journal->file->pMethods->xClose(journal->file);
    journal->file->pMethods = NULL;
    return code;
  }
  sqlite3_free(journal->bytes);
  journal->bytes = NULL;
  return SQLITE_OK;
}

static int journal_write(sqlite3_file *base, const void *from, int count, sqlite3_int64 offset) {
  Journal *journal = (Journal *)base;
  sqlite3_int64 end = offset + count;
  if (is_in_memory(journal) && end > LIMIT) {
    int code = move_to_file(journal);
    if (code != SQLITE_OK) return code;
  }
  if (!is_in_memory(journal)) return journal->file->pMethods->xWrite(journal->file, from, count, offset);
  if (end > journal->capacity) {
    sqlite3_int64 capacity = journal->capacity == 0 ? PIECE : journal->capacity;
    while (capacity < end) capacity *= 2;
    unsigned char *bytes = sqlite3_realloc64(journal->bytes, (sqlite3_uint64)capacity);
    if (bytes == NULL) return SQLITE_IOERR_NOMEM;
    journal->bytes = bytes;
    journal->capacity = capacity;
  }
  if (offset > journal->size) memset(journal->bytes + journal->size, 0, (size_t)(offset - journal->size));
  memcpy(journal->bytes + offset, from, (size_t)count);
  if (end > journal->size) journal->size = end;
  return SQLITE_OK;
}

static int journal_truncate(sqlite3_file *base, sqlite3_int64 size) {
  Journal *journal = (Journal *)base;
  if (!is_in_memory(journal)) return journal->file->pMethods->xTruncate(journal->file, size);
  if (size < journal->size) journal->size = size;
  return SQLITE_OK;
}

static int journal_file_size(sqlite3_file *base, sqlite3_int64 *size) {
  Journal *journal = (Journal *)base;
  if (!is_in_memory(journal)) return journal->file->pMethods->xFileSize(journal->file, size);
  *size = journal->size;
  return SQLITE_OK;
}

// No other connection sees the journal, and no crash needs it.

static int journal_sync(sqlite3_file *base, int flags) {
  (void)base, (void)flags;
  return SQLITE_OK;
}

static int journal_lock(sqlite3_file *base, int level) {
  (void)base, (void)level;
  return SQLITE_OK;
}

static int journal_check_reserved_lock(sqlite3_file *base, int *is_locked) {
  (void)base;
  *is_locked = 0;
  return SQLITE_OK;
}

static int journal_file_control(sqlite3_file *base, int operation, void *argument) {
  (void)base, (void)operation, (void)argument;
  return SQLITE_NOTFOUND;
}

static int journal_zero(sqlite3_file *base) {
  (void)base;
  return 0;
}

static const sqlite3_io_methods journal_methods = {
  .iVersion = 1,
  .xClose = journal_close,
  .xRead = journal_read,
  .xWrite = journal_write,
  .xTruncate = journal_truncate,
  .xSync = journal_sync,
  .xFileSize = journal_file_size,
  .xLock = journal_lock,
  .xUnlock = journal_lock,
  .xCheckReservedLock = journal_check_reserved_lock,
  .xFileControl = journal_file_control,
  .xSectorSize = journal_zero,
  .xDeviceCharacteristics = journal_zero,
};

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags) {
  (void)vfs;
  if ((flags & SQLITE_OPEN_SUBJOURNAL) == 0 || name != NULL) {
    return system_vfs->xOpen(system_vfs, name, file, flags, out_flags);
  }
  Journal *journal = (Journal *)file;
  memset(journal, 0, sizeof(Journal) + (size_t)system_vfs->szOsFile);
  journal->base.pMethods = &journal_methods;
  journal->file = (sqlite3_file *)(journal + 1);
  journal->flags = flags;
  if (out_flags != NULL) *out_flags = flags;
  return SQLITE_OK;
}

int larder_sqlite_keep_statement_journals(void) {
  static sqlite3_vfs vfs;
  system_vfs = sqlite3_vfs_find(NULL);
  if (system_vfs == NULL) return SQLITE_ERROR;
  vfs = *system_vfs;
  vfs.zName = "larder";
  vfs.pNext = NULL;
  vfs.szOsFile = (int)sizeof(Journal) + system_vfs->szOsFile;
  vfs.xOpen = open_file;
  return sqlite3_vfs_register(&vfs, 1);
}
