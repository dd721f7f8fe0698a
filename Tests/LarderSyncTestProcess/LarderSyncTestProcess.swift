import Dispatch
import Foundation
import Larder
import LarderSync

/// The second process of the tests of sync: does one thing with a replica, and says on its standard output how it went.
@main
struct LarderSyncTestProcess {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 3 else { return say("usage: LarderSyncTestProcess command folder number") }
    let (folder, number) = (URL(filePath: arguments[2], directoryHint: .isDirectory), Int(arguments[3]) ?? 0)
    switch arguments[1] {
    case "exchange":
      let (left, right) = (try open(folder, "left"), try open(folder, "right"))
      dieAfter(microseconds: number)
      try await left.sync.exchange(with: right.sync)
      say("done")
    case "export":
      let left = try open(folder, "left")
      dieAfter(microseconds: number)
      try await left.sync.export(to: folder.appending(component: "file"))
      say("done")
    case "import":
      let right = try open(folder, "right")
      dieAfter(microseconds: number)
      try await right.sync.import(from: folder.appending(component: "file"))
      say("done")
    case "fullDisk": try await fillDisk(folder)
    case "memory": try await measure(folder, number)
    default: say("there is no command \(arguments[1])")
    }
  }

  private static func open(_ folder: URL, _ name: String) throws -> Store {
    try Store(at: folder.appending(component: name), for: Page.self, configuration: .init(sync: .on))
  }

  /// Written at once: a pipe would keep what `print` writes.
  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  /// Ends the process as a crash would, wherever it is then.
  private static func dieAfter(microseconds: Int) {
    DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(microseconds)) { kill(getpid(), SIGKILL) }
  }

  private static func pages(_ range: Range<Int>) -> [Page] {
    range.map { Page(number: $0, text: String(repeating: "\($0) ", count: 1000)) }
  }

  /// Exports and imports on a disk that is too small, says how that ends, and goes on when there is room.
  private static func fillDisk(_ folder: URL) async throws {
    let ballast = folder.appending(component: "ballast")
    let (left, right) = (try open(folder, "left"), try open(folder, "right"))
    let file = folder.appending(component: "file")
    try await left.insert(pages(0..<400))
    try await left.sync.export(to: file)
    _ = try await right.sync.replica()
    let free = try FileManager.default.attributesOfFileSystem(forPath: folder.path)[.systemFreeSize] as? Int ?? 0
    _ = FileManager.default.createFile(atPath: ballast.path, contents: Data(count: free - 300_000))
    do {
      try await right.sync.import(from: file)
      say("imported")
    } catch let error as StoreError {
      say("import: \(error.code)")
    }
    say(try await right.check().isHealthy ? "healthy" : "ill")
    let used = try FileManager.default.attributesOfFileSystem(forPath: folder.path)[.systemFreeSize] as? Int ?? 0
    if used > 100_000 {
      _ = FileManager.default.createFile(atPath: ballast.path + "2", contents: Data(count: used - 50_000))
    }
    do {
      try await left.sync.export(to: folder.appending(component: "second"))
      say("exported")
    } catch let error as StoreError {
      say("export: \(error.code)")
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    say(names.contains { $0.hasPrefix("second") } ? "something is left" : "nothing is left")
    for name in ["ballast", "ballast2"] { try? FileManager.default.removeItem(at: folder.appending(component: name)) }
    try await right.sync.import(from: file)
    say("\(try await right.count(Page.all)) rows")
    try await left.sync.export(to: folder.appending(component: "second"))
    say("exported")
  }

  /// Exports and imports a file, and says by how many kilobytes that raised the most memory that the process ever had.
  private static func measure(_ folder: URL, _ count: Int) async throws {
    let (left, right) = (try open(folder, "left"), try open(folder, "right"))
    for number in 0..<count {
      try await left.insert(Page(number: number, text: String(repeating: "\(number) ", count: 50_000)))
    }
    let file = folder.appending(component: "file")
    let before = peakMemory
    let size = try await left.sync.export(to: file, key: GroupKey(text: key)).size
    try await right.sync.import(from: file, keys: [GroupKey(text: key)])
    say("\(size / 1024)")
    say("\(peakMemory - before)")
  }

  private static let key = GroupKey().text

  /// In kilobytes; zero where the system does not tell.
  private static var peakMemory: Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  }
}
