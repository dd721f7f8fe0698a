import Foundation
import LarderTestSupport

/// A disk as a power cut finds it: what was synced is there, and of what was not, some.
///
/// Writes are kept or lost by the sector of 512 bytes, so pages are torn; each truncation, creation and removal that
/// was not synced is kept or lost by itself. What a write covers and nothing else may be damaged, which is what SQLite
/// expects of a disk: <https://www.sqlite.org/psow.html>.
struct PowerDisk {
  /// How a cut treats what was not synced.
  enum Fate: CaseIterable {
    /// All of it is lost.
    case lost
    /// All of it is kept.
    case kept
    /// It is kept up to a moment, in the order of the calls.
    case prefix
    /// Each sector has a fate of its own.
    case torn
    /// Each sector is kept, lost, or holds something else altogether.
    case garbage
  }

  private static let sector = 512

  private enum Change {
    case write(offset: Int, [UInt8])
    case truncate(Int)
  }

  private struct File {
    var bytes: [UInt8] = []
    /// What was done since the last sync.
    var changes: [Change] = []
  }

  /// The names that the folder has after a power cut.
  private var names: [String: Int] = [:]
  /// What was done to names since the folder was synced: a file, or nil for a removal.
  private var nameChanges: [(name: String, file: Int?)] = []
  /// The names as the running program sees them.
  private var current: [String: Int] = [:]
  private var files: [File] = []

  /// The files of a folder, all of them synced.
  init(_ folder: URL) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)) {
      let file = folder.appending(component: name)
      guard let bytes = FileManager.default.contents(atPath: file.path(percentEncoded: false)) else { continue }
      names[name] = files.count
      files.append(File(bytes: Array(bytes)))
    }
    current = names
  }

  // MARK: Before the cut

  /// Does what was recorded.
  mutating func apply(_ event: FileEvent) {
    switch event {
    case .create(let path):
      guard current[Self.name(path)] == nil else { return }
      current[Self.name(path)] = files.count
      nameChanges.append((Self.name(path), files.count))
      files.append(File())
    case .write(let path, let offset, let bytes): change(path) { $0.changes.append(.write(offset: offset, bytes)) }
    case .truncate(let path, let size): change(path) { $0.changes.append(.truncate(size)) }
    case .sync(let path):
      change(path) { file in
        for change in file.changes { Self.apply(change, to: &file.bytes) }
        file.changes.removeAll()
      }
    case .remove(let path):
      current[Self.name(path)] = nil
      nameChanges.append((Self.name(path), nil))
    case .syncFolder:
      names = current
      nameChanges.removeAll()
    case .mark: break
    }
  }

  private mutating func change(_ path: String, _ body: (inout File) -> Void) {
    guard let file = current[Self.name(path)] else { return }
    body(&files[file])
  }

  private static func name(_ path: String) -> String {
    String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
  }

  private static func apply(_ change: Change, to bytes: inout [UInt8]) {
    switch change {
    case .truncate(let size):
      if size < bytes.count {
        bytes.removeLast(bytes.count - size)
      } else {
        bytes += [UInt8](repeating: 0, count: size - bytes.count)
      }
    case .write(let offset, let new):
      if bytes.count < offset + new.count { bytes += [UInt8](repeating: 0, count: offset + new.count - bytes.count) }
      bytes.replaceSubrange(offset..<(offset + new.count), with: new)
    }
  }

  // MARK: The cut

  /// Writes what the disk holds after a cut at this moment into a new folder.
  func cut(_ fate: Fate, _ random: inout SplitMix64, to folder: URL) throws {
    var names = names
    for change in nameChanges where Self.keeps(fate, &random) { names[change.name] = change.file }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // Shared memory is no file of the disk.
    for (name, file) in names.sorted(by: { $0.key < $1.key }) where !name.hasSuffix("-shm") {
      try Data(content(of: files[file], fate, &random)).write(to: folder.appending(component: name))
    }
  }

  private func content(of file: File, _ fate: Fate, _ random: inout SplitMix64) -> [UInt8] {
    var bytes = file.bytes
    let end = fate == .prefix ? Int.random(in: 0...file.changes.count, using: &random) : file.changes.count
    for change in file.changes[..<end] {
      switch change {
      case .truncate: if fate == .prefix || Self.keeps(fate, &random) { Self.apply(change, to: &bytes) }
      case .write(let offset, let new):
        guard fate != .prefix, fate != .kept else {
          Self.apply(change, to: &bytes)
          continue
        }
        var start = offset
        while start < offset + new.count {
          let next = min((start / Self.sector + 1) * Self.sector, offset + new.count)
          var part = Array(new[(start - offset)..<(next - offset)])
          var isKept = Self.keeps(fate, &random)
          if fate == .garbage, !isKept, Bool.random(using: &random) {
            part = part.map { _ in UInt8.random(in: 0...255, using: &random) }
            isKept = true
          }
          if isKept { Self.apply(.write(offset: start, part), to: &bytes) }
          start = next
        }
      }
    }
    return bytes
  }

  private static func keeps(_ fate: Fate, _ random: inout SplitMix64) -> Bool {
    switch fate {
    case .lost: false
    case .kept: true
    case .prefix, .torn, .garbage: Bool.random(using: &random)
    }
  }
}
