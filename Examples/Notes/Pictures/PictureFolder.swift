import Foundation

/// The folder beside the database that holds the pictures' bytes, one file a picture.
///
/// A file is whole before any row names it, and outlives the last row that does: its modification date tells since when no row
/// needs it, and `removeFiles(except:untouchedSince:)` takes away those that waited long enough. So a crash leaves at most a
/// file that nobody needs, never a row whose picture is missing.
struct PictureFolder: Sendable {
  static let maximumBytes = 20 * 1024 * 1024

  private let folder: URL

  /// Opens the folder and creates it if need be. Throws what Foundation throws if that cannot be done.
  init(at folder: URL) throws {
    self.folder = folder
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  func url(of file: PictureFile) -> URL {
    folder.appending(path: file.rawValue, directoryHint: .notDirectory)
  }

  func contains(_ file: PictureFile) -> Bool {
    FileManager.default.fileExists(atPath: url(of: file).path)
  }

  /// The size of the file in bytes, 0 if it is not there.
  func size(of file: PictureFile) -> Int {
    (try? url(of: file).resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0
  }

  /// Writes a picture that arrives in pieces; it is on the disk, whole, when this returns.
  ///
  /// Throws `NoteProblem.invalid` if it is too large or no picture, and whatever the pieces or the disk throw. Nothing stays behind then.
  func write(_ pieces: some AsyncSequence<Data, any Error>) async throws -> PictureFile {
    let unfinished = folder.appending(path: "\(UUID().uuidString).unfinished", directoryHint: .notDirectory)
    try Data().write(to: unfinished, options: .withoutOverwriting)
    do {
      let format = try await write(pieces, to: unfinished)
      let file = PictureFile(format: format)
      try FileManager.default.moveItem(at: unfinished, to: url(of: file))
      try FileHandle(forReadingFrom: folder).synchronize()
      return file
    } catch {
      try? FileManager.default.removeItem(at: unfinished)
      throw error
    }
  }

  private func write(_ pieces: some AsyncSequence<Data, any Error>, to url: URL) async throws -> PictureFormat {
    let handle = try FileHandle(forWritingTo: url)
    defer { try? handle.close() }
    var signature = Data()
    var size = 0
    for try await piece in pieces {
      size += piece.count
      guard size <= Self.maximumBytes else { throw Self.tooLarge }
      signature.append(piece.prefix(PictureFormat.signatureLength - signature.count))
      try handle.write(contentsOf: piece)
    }
    guard let format = PictureFormat(signature: signature) else { throw Self.noPicture }
    try handle.synchronize()
    return format
  }

  func remove(_ file: PictureFile) throws {
    try FileManager.default.removeItem(at: url(of: file))
  }

  /// Notes that a row has stopped needing these files just now.
  func letGo(of files: some Sequence<PictureFile>) throws {
    for file in files where contains(file) {
      try FileManager.default.setAttributes([.modificationDate: Date.now], ofItemAtPath: url(of: file).path)
    }
  }

  /// Removes what no row needs and nobody has touched since `date`: pictures let go of, and uploads that were broken off.
  func removeFiles(except needed: Set<PictureFile>, untouchedSince date: Date) throws {
    let content = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.contentModificationDateKey])
    for url in content {
      let file = PictureFile(rawValue: url.lastPathComponent)
      guard file != nil || url.pathExtension == "unfinished" else { continue }
      if let file, needed.contains(file) { continue }
      guard let touched = try url.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate, touched < date else { continue }
      try FileManager.default.removeItem(at: url)
    }
  }

  static let tooLarge = NoteProblem.invalid(.picture, "A picture may have at most \(maximumBytes >> 20) MB: make it smaller and add it again.")
  static let noPicture = NoteProblem.invalid(.picture, "This is not a PNG, JPEG, GIF or WebP picture.")
}
