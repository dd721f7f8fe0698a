import Foundation

/// The bytes of a file, or of standard input, one after another.
struct InputBytes {
  private let handle: FileHandle
  private var chunk = Data()
  private var position = 0
  /// The number of bytes so far.
  private(set) var count = 0
  /// The number of the current line, from one.
  private(set) var line = 1
  /// The size of the file; nil for standard input.
  let size: Int?
  private static let chunkSize = 1 << 16

  /// - Parameter path: The path of the file; `-` for standard input.
  init(_ path: String) throws {
    guard path != "-" else {
      (handle, size) = (.standardInput, nil)
      try skipByteOrderMark()
      return
    }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue,
      let handle = FileHandle(forReadingAtPath: path)
    else { throw Failure("\(path) can't be read. Check the path.") }
    self.handle = handle
    size = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber)?.intValue
    try skipByteOrderMark()
  }

  /// Excel writes one at the beginning.
  private mutating func skipByteOrderMark() throws {
    guard try peek() != nil, chunk.starts(with: [0xEF, 0xBB, 0xBF]) else { return }
    for _ in 0..<3 { _ = try next() }
  }

  /// Returns the next byte without taking it; nil at the end.
  mutating func peek() throws -> UInt8? {
    if position == chunk.count {
      do {
        chunk = try autoreleasing { try handle.read(upToCount: Self.chunkSize) ?? Data() }
      } catch {
        throw Failure("The input can't be read: \(error.localizedDescription).")
      }
      position = 0
      if chunk.isEmpty { return nil }
    }
    return chunk[chunk.startIndex + position]
  }

  /// Takes the next byte; nil at the end.
  mutating func next() throws -> UInt8? {
    guard let byte = try peek() else { return nil }
    position += 1
    count += 1
    if byte == UInt8(ascii: "\n") { line += 1 }
    return byte
  }
}

/// Calls the closure so that what Foundation allocates meanwhile is freed afterwards.
func autoreleasing<Result>(_ body: () throws -> Result) rethrows -> Result {
  #if canImport(Darwin)
  try autoreleasepool(invoking: body)
  #else
  try body()
  #endif
}
