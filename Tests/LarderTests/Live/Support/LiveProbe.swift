@testable import Larder

/// A read that is watched as live results watch theirs, and looked at after every single change.
final class LiveProbe {
  let name: String
  private let store: Store
  private let results: LiveResults<String>
  private let observer = LiveObserver()
  private var shown: [UInt8] = []
  private var version = 0

  init(_ name: String, _ results: LiveResults<String>) throws {
    self.name = name
    self.results = results
    store = results.store
    store.live.add(observer)
    _ = try look()
  }

  convenience init(_ name: String, _ store: Store, _ read: @escaping @Sendable (Snapshot) throws -> String) throws {
    try self.init(name, store.live(read))
  }

  deinit { store.live.remove(observer) }

  /// What was read last.
  var text: String { String(decoding: shown, as: UTF8.self) }

  /// Reads anew. Returns whether what is read is another while nobody was told of a commit.
  func look() throws -> Bool {
    let told = observer.version
    store.live.beginReading(observer)
    let (text, region) = try store.withReader { connection in try connection.tracking { try results.read(connection) } }
    store.live.endReading(observer, region)
    defer {
      shown = Array(text.utf8)
      version = observer.version
    }
    return told == version && shown != Array(text.utf8)
  }
}
