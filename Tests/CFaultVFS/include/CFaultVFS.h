#ifndef LARDER_FAULT_VFS_H
#define LARDER_FAULT_VFS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A shim over the system's default VFS, as SQLite's own tests have it: <https://www.sqlite.org/vfs.html#vfs_shims>.
//
// It counts the calls that connections make to the file system, fails the n-th of them, and records what was written, synced, truncated, created and
// removed, so that a power cut can be played back at any point. All of it concerns the files below one folder; other files, and all files while
// nothing is armed, pass through untouched. Every function may be called from any thread.

/// The calls that are counted and can fail; the values are bits of a set.
enum {
  CFAULT_OPEN = 1 << 0,
  CFAULT_READ = 1 << 1,
  CFAULT_WRITE = 1 << 2,
  CFAULT_SYNC = 1 << 3,
  CFAULT_TRUNCATE = 1 << 4,
  CFAULT_SIZE = 1 << 5,
  CFAULT_LOCK = 1 << 6,
  CFAULT_SHM_MAP = 1 << 7,
  CFAULT_SHM_LOCK = 1 << 8,
  CFAULT_DELETE = 1 << 9,
  CFAULT_ACCESS = 1 << 10,
  CFAULT_ALL = (1 << 11) - 1
};

/// How a call fails.
enum {
  /// The input/output error of the call.
  CFAULT_FAIL_IO = 0,
  /// SQLITE_FULL for calls that need space (write, truncate, shared memory, open, sync); an input/output error for others.
  CFAULT_FAIL_FULL = 1,
  /// Half of the bytes are written or read before the error.
  CFAULT_FAIL_SHORT = 2,
  /// SQLITE_BUSY for locks, as if another process held them; an input/output error for others.
  CFAULT_FAIL_BUSY = 3
};

/// The name that the shim is registered under.
extern const char *const cfault_vfs_name;

/// Registers the shim as the default VFS. Further calls do nothing.
int cfault_register(void);

/// Confines counting, failing and recording to files whose full path begins with the prefix, and to temporary files if those are included.
void cfault_confine(const char *prefix, bool includes_temporary);

/// Fails the n-th call, counted from now and from 1, among the calls of the set; with `persists`, all after it too.
void cfault_arm(uint32_t calls, uint64_t n, int failure, bool persists);

/// Lets every call through again. The counts stay.
void cfault_disarm(void);

/// Sets all counts to zero and begins to count.
void cfault_start_counting(void);

/// How many calls of the set were made since `cfault_start_counting` or `cfault_arm`.
uint64_t cfault_count(uint32_t calls);

/// How many calls were failed since `cfault_arm`.
uint64_t cfault_failed(void);

/// Describes the first call that failed since `cfault_arm`, say `write -wal`; empty if none did.
void cfault_describe(char *buffer, int size);

// MARK: Recording

/// What was recorded.
enum {
  CFAULT_EVENT_CREATE = 0,
  CFAULT_EVENT_WRITE = 1,
  CFAULT_EVENT_TRUNCATE = 2,
  CFAULT_EVENT_SYNC = 3,
  CFAULT_EVENT_REMOVE = 4,
  CFAULT_EVENT_SYNC_FOLDER = 5,
  CFAULT_EVENT_MARK = 6
};

typedef struct cfault_event {
  int kind;
  /// The file's full path; the number of a mark.
  const char *path;
  int64_t number;
  /// Where a write begins; the new size of a truncation.
  int64_t offset;
  int64_t size;
  const uint8_t *bytes;
} cfault_event;

/// Forgets what was recorded, and records from now on.
void cfault_start_recording(void);

void cfault_stop_recording(void);

/// Puts a mark with a number at this point of the recording: an acknowledgement, say.
void cfault_mark(int64_t number);

/// How many events were recorded. Read events only after recording has stopped.
int64_t cfault_event_count(void);
cfault_event cfault_event_at(int64_t index);

#ifdef __cplusplus
}
#endif

#endif
