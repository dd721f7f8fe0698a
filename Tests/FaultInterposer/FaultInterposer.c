// Stands between a process and the C library, and fails the n-th call that opens, writes, syncs, renames, links or removes a file below a folder.
//
// Built as a shared library and named in LD_PRELOAD. Without being armed it passes everything through. The functions whose names begin with
// `fault_interposer_` are looked up by the process itself, with dlsym.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { FAIL_IO, FAIL_SPACE, FAIL_ACCESS, FAIL_SHORT, FAIL_INTERRUPTED };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char folder[PATH_MAX];
static bool is_armed;
static bool persists;
static int failure;
static uint64_t n, calls, failed;
static char first[192];

// A call of this library's own, to find a path, is not counted.
static __thread bool is_inside;

#define REAL(name) \
  static __typeof__(name) *real; \
  if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

// Says how the call ends: zero lets it through; -1 shortens it; otherwise it is the error.
static int decide(const char *name, const char *path, bool can_be_short, bool needs_space) {
  if (!path || !__atomic_load_n(&is_armed, __ATOMIC_RELAXED)) return 0;
  pthread_mutex_lock(&mutex);
  int result = 0;
  bool applies = failure == FAIL_SHORT || failure == FAIL_INTERRUPTED ? can_be_short : failure == FAIL_SPACE ? needs_space : true;
  if (is_armed && folder[0] && strncmp(path, folder, strlen(folder)) == 0 && applies) {
    calls++;
    if (calls == n || (calls > n && persists)) {
      if (failed++ == 0) snprintf(first, sizeof first, "%s %s", name, path + strlen(folder));
      result = failure == FAIL_IO ? EIO : failure == FAIL_SPACE ? ENOSPC : failure == FAIL_ACCESS ? EACCES : failure == FAIL_INTERRUPTED ? EINTR : -1;
    }
  }
  pthread_mutex_unlock(&mutex);
  return result;
}

static const char *path_of(int descriptor, char *buffer) {
  if (is_inside || !__atomic_load_n(&is_armed, __ATOMIC_RELAXED)) return NULL;
  is_inside = true;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, buffer, PATH_MAX - 1);
  is_inside = false;
  if (length <= 0) return NULL;
  buffer[length] = 0;
  return buffer;
}

#define FAIL(code) do { int problem = (code); if (problem > 0) { errno = problem; return -1; } } while (0)

// MARK: Opening

// A file that is there already needs no space to be opened.
static bool creates(const char *path, int flags) { return (flags & O_CREAT) != 0 && access(path, F_OK) != 0; }

#define OPENING(NAME) \
  int NAME(const char *path, int flags, ...) { \
    REAL(NAME); \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { va_list list; va_start(list, flags); mode = va_arg(list, mode_t); va_end(list); } \
    FAIL(decide("open", path, false, creates(path, flags))); \
    return real(path, flags, mode); \
  }
OPENING(open)
OPENING(open64)

#define OPENING_AT(NAME) \
  int NAME(int at, const char *path, int flags, ...) { \
    REAL(NAME); \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { va_list list; va_start(list, flags); mode = va_arg(list, mode_t); va_end(list); } \
    FAIL(decide("open", path, false, creates(path, flags))); \
    return real(at, path, flags, mode); \
  }
OPENING_AT(openat)
OPENING_AT(openat64)

// MARK: Writing

ssize_t write(int descriptor, const void *bytes, size_t count) {
  REAL(write);
  char buffer[PATH_MAX];
  int end = decide("write", path_of(descriptor, buffer), true, true);
  FAIL(end);
  return real(descriptor, bytes, end < 0 && count > 1 ? count / 2 : count);
}

#define WRITING_AT(NAME, OFFSET) \
  ssize_t NAME(int descriptor, const void *bytes, size_t count, OFFSET offset) { \
    REAL(NAME); \
    char buffer[PATH_MAX]; \
    int end = decide("write", path_of(descriptor, buffer), true, true); \
    FAIL(end); \
    return real(descriptor, bytes, end < 0 && count > 1 ? count / 2 : count, offset); \
  }
WRITING_AT(pwrite, off_t)
WRITING_AT(pwrite64, off64_t)

#define READING_AT(NAME, OFFSET) \
  ssize_t NAME(int descriptor, void *bytes, size_t count, OFFSET offset) { \
    REAL(NAME); \
    char buffer[PATH_MAX]; \
    int end = decide("read", path_of(descriptor, buffer), true, false); \
    FAIL(end); \
    return real(descriptor, bytes, end < 0 && count > 1 ? count / 2 : count, offset); \
  }
READING_AT(pread, off_t)
READING_AT(pread64, off64_t)

ssize_t copy_file_range(int in, off64_t *in_offset, int out, off64_t *out_offset, size_t count, unsigned int flags) {
  REAL(copy_file_range);
  char buffer[PATH_MAX];
  int end = decide("copy", path_of(out, buffer), true, true);
  FAIL(end);
  return real(in, in_offset, out, out_offset, end < 0 && count > 1 ? count / 2 : count, flags);
}

#define ON_DESCRIPTOR(NAME, LABEL, PARAMETERS, ARGUMENTS, SPACE) \
  int NAME PARAMETERS { \
    REAL(NAME); \
    char buffer[PATH_MAX]; \
    FAIL(decide(LABEL, path_of(descriptor, buffer), false, SPACE)); \
    return real ARGUMENTS; \
  }
ON_DESCRIPTOR(fsync, "sync", (int descriptor), (descriptor), true)
ON_DESCRIPTOR(fdatasync, "sync", (int descriptor), (descriptor), true)
ON_DESCRIPTOR(ftruncate, "truncate", (int descriptor, off_t size), (descriptor, size), true)
ON_DESCRIPTOR(ftruncate64, "truncate", (int descriptor, off64_t size), (descriptor, size), true)

// MARK: Names

#define ON_PATH(NAME, LABEL, PATH, PARAMETERS, ARGUMENTS, SPACE) \
  int NAME PARAMETERS { \
    REAL(NAME); \
    FAIL(decide(LABEL, PATH, false, SPACE)); \
    return real ARGUMENTS; \
  }
ON_PATH(rename, "rename", to, (const char *from, const char *to), (from, to), true)
ON_PATH(renameat, "rename", to, (int a, const char *from, int b, const char *to), (a, from, b, to), true)
ON_PATH(renameat2, "rename", to, (int a, const char *from, int b, const char *to, unsigned int flags), (a, from, b, to, flags), true)
ON_PATH(link, "link", to, (const char *from, const char *to), (from, to), true)
ON_PATH(linkat, "link", to, (int a, const char *from, int b, const char *to, int flags), (a, from, b, to, flags), true)
ON_PATH(unlink, "unlink", path, (const char *path), (path), false)
ON_PATH(unlinkat, "unlink", path, (int at, const char *path, int flags), (at, path, flags), false)
ON_PATH(remove, "unlink", path, (const char *path), (path), false)
ON_PATH(rmdir, "rmdir", path, (const char *path), (path), false)
ON_PATH(mkdir, "mkdir", path, (const char *path, mode_t mode), (path, mode), true)
ON_PATH(mkdirat, "mkdir", path, (int at, const char *path, mode_t mode), (at, path, mode), true)

// MARK: For the process itself

void fault_interposer_arm(const char *below, uint64_t number, int how, bool lasts) {
  pthread_mutex_lock(&mutex);
  snprintf(folder, sizeof folder, "%s", below);
  n = number;
  failure = how;
  persists = lasts;
  calls = 0;
  failed = 0;
  first[0] = 0;
  __atomic_store_n(&is_armed, true, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&mutex);
}

void fault_interposer_disarm(void) { __atomic_store_n(&is_armed, false, __ATOMIC_RELAXED); }

uint64_t fault_interposer_calls(void) {
  pthread_mutex_lock(&mutex);
  uint64_t result = calls;
  pthread_mutex_unlock(&mutex);
  return result;
}

uint64_t fault_interposer_failed(void) {
  pthread_mutex_lock(&mutex);
  uint64_t result = failed;
  pthread_mutex_unlock(&mutex);
  return result;
}

void fault_interposer_describe(char *buffer, int size) {
  pthread_mutex_lock(&mutex);
  if (size > 0) snprintf(buffer, (size_t)size, "%s", first);
  pthread_mutex_unlock(&mutex);
}
