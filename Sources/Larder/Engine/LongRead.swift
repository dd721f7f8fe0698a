/// A read that takes too long for the thread of the task that waits for it, and begins anew on a thread of the store.
struct LongRead: Error {}
