import Foundation
import LarderArchive
import LarderRandom

/// Takes a large part in and out in all ways, and prints by how many kilobytes each of them raised the peak of memory.
func stream(in url: URL, megabytes: Int) async throws {
  var generator = SplitMix64(seed: 1)
  // What deflate makes smaller, but not by much.
  let chunk = Data((0..<1 << 20).map { _ in UInt8.random(in: 0..<64, using: &generator) })
  let folder = try PackageFolder(at: url.appending(path: "packages"), extension: "x")
  let source = url.appending(path: "source")
  try Data().write(to: source)
  let file = try FileHandle(forWritingTo: source)
  for _ in 0..<megabytes { try file.write(contentsOf: chunk) }
  try file.close()
  let package = try folder.add { _ in }

  try await measure("setContents") { try package.edit { try $0.setContents(of: source, for: "file") } }
  let snapshot = try package.snapshot()
  try await measure("pieces") {
    var size = 0
    for try await piece in snapshot.pieces(of: "file") { size += piece.count }
    guard size == megabytes << 20 else { throw CocoaError(.fileReadCorruptFile) }
  }
  try await measure("copy") { try snapshot.copy("file", to: source) }
  let zip = url.appending(path: "package.zip")
  try await measure("writeZip") { try snapshot.writeZip(to: zip) }
  try await measure("setParts") { _ = try folder.add { try $0.setParts(ofZip: zip) } }
  try await measure("stage") {
    let staged = try await folder.stage(Chunks(chunk: chunk, count: megabytes))
    try package.edit { try $0.setPart(staged, for: "staged") }
  }
}

private func measure(_ name: String, _ body: () async throws -> Void) async throws {
  // Linux forgets the peak so far.
  try? Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
  let before = peak()
  try await body()
  print(name, peak() - before)
}

/// The largest memory of this process so far, in kilobytes; 0 where the system doesn't tell.
private func peak() -> Int {
  let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
  return status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }.flatMap { Int($0.filter(\.isNumber)) } ?? 0
}

/// The same data again and again.
private struct Chunks: AsyncSequence, AsyncIteratorProtocol {
  let chunk: Data
  var count: Int

  mutating func next() async throws -> Data? {
    count -= 1
    return count >= 0 ? chunk : nil
  }

  func makeAsyncIterator() -> Chunks { self }
}
