#include "CFaultVFS.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const cfault_vfs_name = "larder-fault";

#define KINDS 11

// Everything below is guarded by this mutex. While something is armed, counted or recorded it is held during calls that change files, too: the
// recording has their order.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct {
  char *prefix;
  bool includes_temporary;

  uint64_t counts[KINDS];

  bool is_armed;
  bool persists;
  uint32_t calls;
  uint64_t n;
  uint64_t matched;
  uint64_t failed;
  int failure;
  char first[96];

  bool is_recording;
  cfault_event *events;
  int64_t event_count;
  int64_t event_capacity;
} state;

static sqlite3_vfs *base;

typedef struct fault_file {
  sqlite3_file file;
  sqlite3_io_methods methods;
  char *path;
  // A journal or a log that may just have been created: the system's VFS syncs its folder with its first sync.
  bool syncs_folder;
  sqlite3_file *real;
} fault_file;

// MARK: Deciding

static const char *const kind_names[KINDS] = {"open", "read", "write", "sync", "truncate", "size", "lock", "shm map", "shm lock", "delete", "access"};

static bool concerns(const char *path) {
  if (!path) return state.includes_temporary;
  return state.prefix && strncmp(path, state.prefix, strlen(state.prefix)) == 0;
}

static const char *suffix(const char *path) {
  if (!path) return "temporary file";
  static const char *const known[] = {"-wal", "-journal", "-shm", ".partial"};
  size_t length = strlen(path);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    size_t size = strlen(known[i]);
    if (length > size && strcmp(path + length - size, known[i]) == 0) return known[i];
  }
  return "database";
}

static int error_code(int kind, int failure) {
  if (failure == CFAULT_FAIL_BUSY && ((1 << kind) & (CFAULT_LOCK | CFAULT_SHM_LOCK))) return SQLITE_BUSY;
  if (failure == CFAULT_FAIL_FULL && ((1 << kind) & (CFAULT_WRITE | CFAULT_TRUNCATE | CFAULT_SYNC | CFAULT_SHM_MAP))) return SQLITE_FULL;
  switch (1 << kind) {
    case CFAULT_OPEN: return SQLITE_CANTOPEN;
    case CFAULT_READ: return SQLITE_IOERR_READ;
    case CFAULT_WRITE: return SQLITE_IOERR_WRITE;
    case CFAULT_SYNC: return SQLITE_IOERR_FSYNC;
    case CFAULT_TRUNCATE: return SQLITE_IOERR_TRUNCATE;
    case CFAULT_SIZE: return SQLITE_IOERR_FSTAT;
    case CFAULT_LOCK: return SQLITE_IOERR_LOCK;
    case CFAULT_SHM_MAP: return SQLITE_IOERR_SHMMAP;
    case CFAULT_SHM_LOCK: return SQLITE_IOERR_SHMLOCK;
    case CFAULT_DELETE: return SQLITE_IOERR_DELETE;
    default: return SQLITE_IOERR_ACCESS;
  }
}

// Counts the call, and says how it ends if it is to fail; SQLITE_OK lets it through. Call with the mutex held.
static int decide(uint32_t bit, const char *path) {
  if (!concerns(path)) return SQLITE_OK;
  int kind = 0;
  while ((1u << kind) != bit) kind++;
  state.counts[kind]++;
  if (!state.is_armed || !(state.calls & bit)) return SQLITE_OK;
  state.matched++;
  if (state.matched < state.n || (state.matched > state.n && !state.persists)) return SQLITE_OK;
  if (state.failed++ == 0) snprintf(state.first, sizeof state.first, "%s %s", kind_names[kind], suffix(path));
  return error_code(kind, state.failure);
}

static int decide_locking(uint32_t bit, const char *path, bool *is_short) {
  pthread_mutex_lock(&mutex);
  int rc = decide(bit, path);
  if (is_short) *is_short = state.failure == CFAULT_FAIL_SHORT;
  pthread_mutex_unlock(&mutex);
  return rc;
}

// Records an event. Call with the mutex held.
static void record(int kind, const char *path, int64_t offset, int64_t size, const void *bytes) {
  if (!state.is_recording || !path || !concerns(path)) return;
  if (state.event_count == state.event_capacity) {
    state.event_capacity = state.event_capacity ? state.event_capacity * 2 : 256;
    state.events = realloc(state.events, (size_t)state.event_capacity * sizeof *state.events);
    if (!state.events) abort();
  }
  cfault_event event = {.kind = kind, .path = strdup(path), .offset = offset, .size = size};
  if (bytes) {
    void *copy = malloc(size > 0 ? (size_t)size : 1);
    if (!copy || !event.path) abort();
    memcpy(copy, bytes, (size_t)size);
    event.bytes = copy;
  }
  state.events[state.event_count++] = event;
}

// MARK: Files

static int file_close(sqlite3_file *f) {
  fault_file *file = (fault_file *)f;
  int rc = file->real->pMethods ? file->real->pMethods->xClose(file->real) : SQLITE_OK;
  free(file->path);
  file->path = NULL;
  return rc;
}

static int file_read(sqlite3_file *f, void *buffer, int amount, sqlite3_int64 offset) {
  fault_file *file = (fault_file *)f;
  bool is_short;
  int rc = decide_locking(CFAULT_READ, file->path, &is_short);
  if (rc == SQLITE_OK) return file->real->pMethods->xRead(file->real, buffer, amount, offset);
  if (is_short) file->real->pMethods->xRead(file->real, buffer, amount / 2, offset);
  return rc;
}

static int file_write(sqlite3_file *f, const void *buffer, int amount, sqlite3_int64 offset) {
  fault_file *file = (fault_file *)f;
  pthread_mutex_lock(&mutex);
  int rc = decide(CFAULT_WRITE, file->path);
  if (rc == SQLITE_OK) {
    rc = file->real->pMethods->xWrite(file->real, buffer, amount, offset);
    if (rc == SQLITE_OK) record(CFAULT_EVENT_WRITE, file->path, offset, amount, buffer);
  } else if (state.failure == CFAULT_FAIL_SHORT && amount > 1) {
    if (file->real->pMethods->xWrite(file->real, buffer, amount / 2, offset) == SQLITE_OK)
      record(CFAULT_EVENT_WRITE, file->path, offset, amount / 2, buffer);
    rc = SQLITE_FULL;
  }
  pthread_mutex_unlock(&mutex);
  return rc;
}

static int file_truncate(sqlite3_file *f, sqlite3_int64 size) {
  fault_file *file = (fault_file *)f;
  pthread_mutex_lock(&mutex);
  int rc = decide(CFAULT_TRUNCATE, file->path);
  if (rc == SQLITE_OK) {
    rc = file->real->pMethods->xTruncate(file->real, size);
    if (rc == SQLITE_OK) record(CFAULT_EVENT_TRUNCATE, file->path, size, 0, NULL);
  }
  pthread_mutex_unlock(&mutex);
  return rc;
}

static int file_sync(sqlite3_file *f, int flags) {
  fault_file *file = (fault_file *)f;
  pthread_mutex_lock(&mutex);
  int rc = decide(CFAULT_SYNC, file->path);
  if (rc == SQLITE_OK) {
    rc = file->real->pMethods->xSync(file->real, flags);
    if (rc == SQLITE_OK) {
      record(CFAULT_EVENT_SYNC, file->path, 0, 0, NULL);
      if (file->syncs_folder) record(CFAULT_EVENT_SYNC_FOLDER, file->path, 0, 0, NULL);
      file->syncs_folder = false;
    }
  }
  pthread_mutex_unlock(&mutex);
  return rc;
}

static int file_size(sqlite3_file *f, sqlite3_int64 *size) {
  fault_file *file = (fault_file *)f;
  int rc = decide_locking(CFAULT_SIZE, file->path, NULL);
  return rc == SQLITE_OK ? file->real->pMethods->xFileSize(file->real, size) : rc;
}

static int file_lock(sqlite3_file *f, int level) {
  fault_file *file = (fault_file *)f;
  int rc = decide_locking(CFAULT_LOCK, file->path, NULL);
  return rc == SQLITE_OK ? file->real->pMethods->xLock(file->real, level) : rc;
}

static int file_unlock(sqlite3_file *f, int level) {
  fault_file *file = (fault_file *)f;
  return file->real->pMethods->xUnlock(file->real, level);
}

static int file_check_reserved(sqlite3_file *f, int *result) {
  fault_file *file = (fault_file *)f;
  int rc = decide_locking(CFAULT_LOCK, file->path, NULL);
  if (rc == SQLITE_BUSY) rc = SQLITE_IOERR_CHECKRESERVEDLOCK;
  return rc == SQLITE_OK ? file->real->pMethods->xCheckReservedLock(file->real, result) : rc;
}

static int file_control(sqlite3_file *f, int operation, void *argument) {
  fault_file *file = (fault_file *)f;
  return file->real->pMethods->xFileControl(file->real, operation, argument);
}

static int file_sector_size(sqlite3_file *f) {
  fault_file *file = (fault_file *)f;
  return file->real->pMethods->xSectorSize(file->real);
}

static int file_characteristics(sqlite3_file *f) {
  fault_file *file = (fault_file *)f;
  return file->real->pMethods->xDeviceCharacteristics(file->real);
}

static int file_shm_map(sqlite3_file *f, int region, int size, int extend, void volatile **memory) {
  fault_file *file = (fault_file *)f;
  int rc = decide_locking(CFAULT_SHM_MAP, file->path, NULL);
  if (rc != SQLITE_OK) {
    *memory = NULL;
    return rc;
  }
  return file->real->pMethods->xShmMap(file->real, region, size, extend, memory);
}

static int file_shm_lock(sqlite3_file *f, int offset, int count, int flags) {
  fault_file *file = (fault_file *)f;
  // Letting go cannot fail in SQLite's eyes; it does not look at the result.
  int rc = (flags & SQLITE_SHM_LOCK) ? decide_locking(CFAULT_SHM_LOCK, file->path, NULL) : SQLITE_OK;
  return rc == SQLITE_OK ? file->real->pMethods->xShmLock(file->real, offset, count, flags) : rc;
}

static void file_shm_barrier(sqlite3_file *f) {
  fault_file *file = (fault_file *)f;
  file->real->pMethods->xShmBarrier(file->real);
}

static int file_shm_unmap(sqlite3_file *f, int deletes) {
  fault_file *file = (fault_file *)f;
  return file->real->pMethods->xShmUnmap(file->real, deletes);
}

static int file_fetch(sqlite3_file *f, sqlite3_int64 offset, int amount, void **memory) {
  fault_file *file = (fault_file *)f;
  return file->real->pMethods->xFetch(file->real, offset, amount, memory);
}

static int file_unfetch(sqlite3_file *f, sqlite3_int64 offset, void *memory) {
  fault_file *file = (fault_file *)f;
  return file->real->pMethods->xUnfetch(file->real, offset, memory);
}

static const sqlite3_io_methods file_methods = {
  .iVersion = 3,
  .xClose = file_close,
  .xRead = file_read,
  .xWrite = file_write,
  .xTruncate = file_truncate,
  .xSync = file_sync,
  .xFileSize = file_size,
  .xLock = file_lock,
  .xUnlock = file_unlock,
  .xCheckReservedLock = file_check_reserved,
  .xFileControl = file_control,
  .xSectorSize = file_sector_size,
  .xDeviceCharacteristics = file_characteristics,
  .xShmMap = file_shm_map,
  .xShmLock = file_shm_lock,
  .xShmBarrier = file_shm_barrier,
  .xShmUnmap = file_shm_unmap,
  .xFetch = file_fetch,
  .xUnfetch = file_unfetch,
};

// MARK: The VFS

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *out_flags) {
  (void)vfs;
  fault_file *file = (fault_file *)f;
  memset(file, 0, sizeof *file);
  file->real = (sqlite3_file *)(file + 1);
  bool is_lasting = name && !(flags & SQLITE_OPEN_DELETEONCLOSE);
  pthread_mutex_lock(&mutex);
  int rc = decide(CFAULT_OPEN, is_lasting ? name : NULL);
  if (rc == SQLITE_OK) {
    int exists = 1;
    if (is_lasting && (flags & SQLITE_OPEN_CREATE)) base->xAccess(base, name, SQLITE_ACCESS_EXISTS, &exists);
    rc = base->xOpen(base, name, file->real, flags, out_flags);
    if (rc == SQLITE_OK && is_lasting) {
      file->path = strdup(name);
      // An empty file counts as none for xAccess of the system's VFS, which makes a second creation of it harmless here.
      if (!exists) record(CFAULT_EVENT_CREATE, name, 0, 0, NULL);
      file->syncs_folder =
        (flags & SQLITE_OPEN_CREATE) && (flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL));
    }
  }
  pthread_mutex_unlock(&mutex);
  if (file->real->pMethods) {
    file->methods = file_methods;
    if (file->real->pMethods->iVersion < file->methods.iVersion) file->methods.iVersion = file->real->pMethods->iVersion;
    file->file.pMethods = &file->methods;
  }
  return rc;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int syncs_folder) {
  (void)vfs;
  pthread_mutex_lock(&mutex);
  int rc = decide(CFAULT_DELETE, name);
  if (rc == SQLITE_OK) {
    rc = base->xDelete(base, name, syncs_folder);
    if (rc == SQLITE_OK) {
      record(CFAULT_EVENT_REMOVE, name, 0, 0, NULL);
      if (syncs_folder) record(CFAULT_EVENT_SYNC_FOLDER, name, 0, 0, NULL);
    }
  }
  pthread_mutex_unlock(&mutex);
  return rc;
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
  (void)vfs;
  int rc = decide_locking(CFAULT_ACCESS, name, NULL);
  if (rc != SQLITE_OK) return rc;
  return base->xAccess(base, name, flags, result);
}

static int vfs_full_pathname(sqlite3_vfs *vfs, const char *name, int size, char *out) {
  (void)vfs;
  return base->xFullPathname(base, name, size, out);
}
static void *vfs_dl_open(sqlite3_vfs *vfs, const char *name) {
  (void)vfs;
  return base->xDlOpen(base, name);
}
static void vfs_dl_error(sqlite3_vfs *vfs, int size, char *message) {
  (void)vfs;
  base->xDlError(base, size, message);
}
static void (*vfs_dl_sym(sqlite3_vfs *vfs, void *library, const char *symbol))(void) {
  (void)vfs;
  return base->xDlSym(base, library, symbol);
}
static void vfs_dl_close(sqlite3_vfs *vfs, void *library) {
  (void)vfs;
  base->xDlClose(base, library);
}
static int vfs_randomness(sqlite3_vfs *vfs, int size, char *out) {
  (void)vfs;
  return base->xRandomness(base, size, out);
}
static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
  (void)vfs;
  return base->xSleep(base, microseconds);
}
static int vfs_current_time(sqlite3_vfs *vfs, double *time) {
  (void)vfs;
  return base->xCurrentTime(base, time);
}
static int vfs_last_error(sqlite3_vfs *vfs, int size, char *out) {
  (void)vfs;
  return base->xGetLastError(base, size, out);
}
static int vfs_current_time_64(sqlite3_vfs *vfs, sqlite3_int64 *time) {
  (void)vfs;
  return base->xCurrentTimeInt64(base, time);
}

static sqlite3_vfs shim = {
  .iVersion = 2,
  .xOpen = vfs_open,
  .xDelete = vfs_delete,
  .xAccess = vfs_access,
  .xFullPathname = vfs_full_pathname,
  .xDlOpen = vfs_dl_open,
  .xDlError = vfs_dl_error,
  .xDlSym = vfs_dl_sym,
  .xDlClose = vfs_dl_close,
  .xRandomness = vfs_randomness,
  .xSleep = vfs_sleep,
  .xCurrentTime = vfs_current_time,
  .xGetLastError = vfs_last_error,
  .xCurrentTimeInt64 = vfs_current_time_64,
};

int cfault_register(void) {
  static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&once);
  int rc = SQLITE_OK;
  if (!base) {
    base = sqlite3_vfs_find(NULL);
    if (base) {
      shim.zName = cfault_vfs_name;
      shim.mxPathname = base->mxPathname;
      shim.szOsFile = (int)sizeof(fault_file) + base->szOsFile;
      rc = sqlite3_vfs_register(&shim, 1);
    } else {
      rc = SQLITE_ERROR;
    }
  }
  pthread_mutex_unlock(&once);
  return rc;
}

// MARK: Arming

void cfault_confine(const char *prefix, bool includes_temporary) {
  char *copy = prefix ? strdup(prefix) : NULL;
  pthread_mutex_lock(&mutex);
  free(state.prefix);
  state.prefix = copy;
  state.includes_temporary = includes_temporary;
  pthread_mutex_unlock(&mutex);
}

void cfault_arm(uint32_t calls, uint64_t n, int failure, bool persists) {
  pthread_mutex_lock(&mutex);
  memset(state.counts, 0, sizeof state.counts);
  state.calls = calls;
  state.n = n;
  state.failure = failure;
  state.persists = persists;
  state.matched = 0;
  state.failed = 0;
  state.first[0] = 0;
  state.is_armed = true;
  pthread_mutex_unlock(&mutex);
}

void cfault_disarm(void) {
  pthread_mutex_lock(&mutex);
  state.is_armed = false;
  pthread_mutex_unlock(&mutex);
}

void cfault_start_counting(void) {
  pthread_mutex_lock(&mutex);
  memset(state.counts, 0, sizeof state.counts);
  pthread_mutex_unlock(&mutex);
}

uint64_t cfault_count(uint32_t calls) {
  uint64_t sum = 0;
  pthread_mutex_lock(&mutex);
  for (int kind = 0; kind < KINDS; kind++)
    if (calls & (1u << kind)) sum += state.counts[kind];
  pthread_mutex_unlock(&mutex);
  return sum;
}

uint64_t cfault_failed(void) {
  pthread_mutex_lock(&mutex);
  uint64_t failed = state.failed;
  pthread_mutex_unlock(&mutex);
  return failed;
}

void cfault_describe(char *buffer, int size) {
  if (size <= 0) return;
  pthread_mutex_lock(&mutex);
  snprintf(buffer, (size_t)size, "%s", state.first);
  pthread_mutex_unlock(&mutex);
}

// MARK: Recording

void cfault_start_recording(void) {
  pthread_mutex_lock(&mutex);
  for (int64_t i = 0; i < state.event_count; i++) {
    free((void *)state.events[i].path);
    free((void *)state.events[i].bytes);
  }
  state.event_count = 0;
  state.is_recording = true;
  pthread_mutex_unlock(&mutex);
}

void cfault_stop_recording(void) {
  pthread_mutex_lock(&mutex);
  state.is_recording = false;
  pthread_mutex_unlock(&mutex);
}

void cfault_mark(int64_t number) {
  pthread_mutex_lock(&mutex);
  int64_t before = state.event_count;
  record(CFAULT_EVENT_MARK, state.prefix, 0, 0, NULL);
  if (state.event_count > before) state.events[before].number = number;
  pthread_mutex_unlock(&mutex);
}

int64_t cfault_event_count(void) {
  pthread_mutex_lock(&mutex);
  int64_t count = state.event_count;
  pthread_mutex_unlock(&mutex);
  return count;
}

cfault_event cfault_event_at(int64_t index) {
  cfault_event event = {0};
  pthread_mutex_lock(&mutex);
  if (index >= 0 && index < state.event_count) event = state.events[index];
  pthread_mutex_unlock(&mutex);
  return event;
}
