import Foundation

/// Where a verb writes its data: standard output, or a file that takes its name when it is whole.
final class Output {
  private let handle: FileHandle
  private let place: (partial: URL, target: URL, interruption: Interruption)?
  private var buffer = Data()
  private static let size = 1 << 16

  /// - Parameters:
  ///   - path: The path of the file; nil for standard output.
  ///   - store: The file that is read, which isn't overwritten.
  /// - Throws: ``Failure`` if the file can't be created.
  init(_ path: String?, reading store: String) throws {
    guard let path, path != "-" else {
      (handle, place) = (.standardOutput, nil)
      return
    }
    let target = URL(filePath: path)
    let known = ["", "-wal", "-shm", "-journal"].map { URL(filePath: store + $0).resolvingSymlinksInPath().path }
    guard !known.contains(target.resolvingSymlinksInPath().path) else {
      throw Failure("\(path) is the file that is read. Choose another name for the output.")
    }
    let partial = URL(filePath: "\(path).\(UUID().uuidString).partial")
    // Before the file is there, so that no signal leaves it behind.
    let interruption = Interruption { try? FileManager.default.removeItem(at: partial) }
    let created = interruption.uninterrupted {
      FileManager.default.createFile(atPath: partial.path, contents: nil)
        ? FileHandle(forWritingAtPath: partial.path) : nil
    }
    guard let created else {
      interruption.finish {}
      throw Failure("\(path) can't be written. Check that its folder is there and that this user may write to it.")
    }
    handle = created
    place = (partial, target, interruption)
  }

  deinit {
    // A verb that failed leaves no part of a file behind.
    if let place { try? FileManager.default.removeItem(at: place.partial) }
  }

  /// Whether a person reads the output on a terminal.
  var isTerminal: Bool { place == nil && Terminal.showsOutput }

  func write(_ text: String) throws {
    buffer.append(contentsOf: text.utf8)
    if buffer.count >= Self.size { try flush() }
  }

  /// Writes what is buffered.
  func flush() throws {
    guard !buffer.isEmpty else { return }
    do {
      try handle.write(contentsOf: buffer)
    } catch {
      throw Failure("The output can't be written: \(error.localizedDescription). Check the space on the disk.")
    }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Writes the rest, and gives the file its name.
  func finish() throws {
    try flush()
    guard let place else { return }
    do {
      try handle.synchronize()
      try handle.close()
      try place.interruption.finish {
        if rename(place.partial.path, place.target.path) != 0 { throw CocoaError(.fileWriteUnknown) }
      }
    } catch {
      throw Failure(
        "\(place.target.path) can't be written: \(error.localizedDescription). Check the folder and the disk.")
    }
  }
}
