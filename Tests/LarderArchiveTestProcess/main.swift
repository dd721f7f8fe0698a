import Foundation
import LarderArchive
import LarderArchiveMutation
import Synchronization

/// The second process of tests: adds packages, ends itself in the middle of a change, or says what a folder lets it
/// do.
///
/// `add FOLDER COUNT` · `fill FOLDER KILOBYTES` · `try FOLDER 0` · `write FILE STEP` · `edit FOLDER STEP` ·
/// `replace FOLDER STEP` · `new FOLDER STEP` · `zip FOLDER STEP` · `unzip FOLDER STEP` · `rezip FOLDER STEP` ·
/// `restream FOLDER STEP` · `copy FOLDER STEP` · `open FOLDER STEP` · `delete FOLDER STEP` ·
/// `deep FOLDER LEVELS` · `stream FOLDER MEGABYTES` · `circle WAY 0`

let arguments = CommandLine.arguments
guard arguments.count == 4, let number = Int(arguments[3]) else {
  FileHandle.standardError.write(Data("usage: LarderArchiveTestProcess command path number\n".utf8))
  exit(2)
}
let url = URL(filePath: arguments[2])

/// Ends the process, as a crash would, before the call of this number.
func crashing(before number: Int) -> FileSystem {
  let count = Mutex(0)
  return FileSystem(chunk: 64) { step, _ in
    guard step != "read" else { return }
    let now = count.withLock { count in
      count += 1
      return count
    }
    if now == number { kill(getpid(), SIGKILL) }
  }
}

func folder() throws -> PackageFolder {
  try PackageFolder(at: url, extension: "scarycreature", fileSystem: crashing(before: number))
}

func fill(_ parts: inout PackageParts, _ number: Int) throws {
  try parts.setValue(Creature.sample(number), for: "data")
  try parts.setData(Data("thumbnail \(number)".utf8), for: "thumbnail.png")
}

/// Prints what becomes of a change.
@Sendable func report(_ name: String, _ body: () throws -> Void) {
  do {
    try body()
    print(name, "done")
  } catch let error as ArchiveError {
    print(name, error.code)
  } catch {
    print(name, error)
  }
}

/// Fills a small disk with a package of so many kilobytes, and says what happens to changes that find no space.
func fillDisk() throws {
  let folder = try PackageFolder(at: url, extension: "scarycreature")
  let large = Data(repeating: 1, count: number << 10)
  let package = try folder.add { try $0.setData(large, for: "large") }
  let file = url.appending(path: "file")
  try Archive.write(1, to: file)
  report("add") { _ = try folder.add { try $0.setData(large, for: "large") } }
  report("edit") { try package.edit { try $0.setData(large, for: "more") } }
  report("write") { try Archive.write(large, to: file) }
  let isWhole =
    try !package.inspect().isDamaged && folder.packages().count == 1 && Archive.read(Int.self, from: file) == 1
  print(isWhole ? "all whole" : "damaged")
  let names = try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
  print(names == [".larder-lock", "1.scarycreature", "file"] ? "nothing is left over" : "left over: \(names)")
  try folder.delete(package)
  try folder.emptyTrash()
  _ = try folder.add { try $0.setData(large, for: "large") }
  print("ok")
}

/// Says what a folder lets this user do.
func tryAll() throws {
  let folder = try PackageFolder(at: url, extension: "scarycreature")
  let packages = try folder.packages()
  print(packages.count, "packages")
  guard let package = packages.first else { return }
  print(try package.data(for: "a").count, "bytes")
  report("add") { _ = try folder.add { _ in } }
  report("edit") { try package.edit { try $0.remove("a") } }
  report("delete") { try folder.delete(package) }
  report("write") { try Archive.write(1, to: url.appending(path: "file")) }
  report("open") { _ = try PackageFolder(at: url.appending(path: "other"), extension: "scarycreature") }
}

/// Puts folders into one another, in a package's folder, and changes and deletes the package on a small thread.
func changeDeep() throws {
  var files = rlimit()
  #if canImport(Darwin)
  let resource = RLIMIT_NOFILE
  #else
  let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #endif
  getrlimit(resource, &files)
  files.rlim_cur = files.rlim_max
  setrlimit(resource, &files)
  let folder = try PackageFolder(at: url, extension: "scarycreature")
  let package = try folder.add { try $0.setData(Data([1]), for: "a") }
  var place = open(package.url.path, O_RDONLY | O_DIRECTORY)
  for _ in 0..<number {
    mkdirat(place, "stranger", 0o700)
    let inner = openat(place, "stranger", O_RDONLY | O_DIRECTORY)
    close(place)
    place = inner
  }
  try SmallThread.run {
    report("edit") { try package.edit { try $0.setData(Data([2]), for: "a") } }
    report("read") { _ = try package.data(for: "a") }
    report("delete") { try folder.delete(package) }
    report("empty") { try folder.emptyTrash() }
  }
  print(try FileManager.default.contentsOfDirectory(atPath: url.path))
}

/// A circle whose encoding makes no call that may throw.
final class Ring: Encodable, Sendable {
  let way: String

  init(_ way: String) { self.way = way }

  private enum Key: CodingKey { case next }

  func encode(to encoder: any Encoder) throws {
    // By way of the protocol: the compiler would warn of the recursion.
    let ring: any Encodable = self
    switch way {
    case "super":
      var container = encoder.container(keyedBy: Key.self)
      try ring.encode(to: container.superEncoder())
    case "key":
      var container = encoder.container(keyedBy: Key.self)
      try ring.encode(to: container.superEncoder(forKey: .next))
    case "nested":
      var container = encoder.container(keyedBy: Key.self)
      var nested = container.nestedUnkeyedContainer(forKey: .next)
      try ring.encode(to: nested.superEncoder())
    case "same":
      _ = encoder.container(keyedBy: Key.self)
      try ring.encode(to: encoder)
    case "single":
      _ = encoder.singleValueContainer()
      try ring.encode(to: encoder)
    default:
      var container = encoder.unkeyedContainer()
      try ring.encode(to: container.superEncoder())
    }
  }
}

switch arguments[1] {
case "circle":
  let ring = Ring(arguments[2])
  _ = try SmallThread.run { try Archive.encode(ring) }
case "deep": try changeDeep()
case "fill": try fillDisk()
case "stream":
  Task.detached {
    do { try await stream(in: url, megabytes: number) } catch {
      print(error)
      exit(1)
    }
    exit(0)
  }
  dispatchMain()
case "try": try tryAll()
case "add":
  let folder = try PackageFolder(at: url, extension: "scarycreature")
  for index in 0..<number { _ = try folder.add { try $0.setData(Data("\(getpid()) \(index)".utf8), for: "data") } }
case "write": try Archive.write(try Archive.encode(Creature.sample(2)), to: url, through: crashing(before: number))
case "edit": try folder().package(named: "1").edit { try $0.setValue(Creature.sample(2), for: "data") }
case "replace": try folder().package(named: "1").replaceAll { try fill(&$0, 2) }
case "new": _ = try folder().add { try fill(&$0, 2) }
case "zip": try folder().package(named: "1").snapshot().writeZip(to: url.appending(path: "package.zip"))
case "unzip": _ = try folder().add { try $0.setParts(ofZip: url.appending(path: "package.zip")) }
case "stage": _ = try folder().add { try $0.setContents(of: url.appending(path: "package.zip"), for: "a/b") }
case "rezip":
  try folder().package(named: "1").replaceAll { try $0.setParts(ofZip: url.appending(path: "package.zip")) }
case "restream":
  try folder().package(named: "1").edit { parts in
    try parts.setValue(Creature.sample(2), for: "data")
    try parts.setContents(for: "images/full.png") { writer in
      for byte: UInt8 in 0..<4 { try writer.write(Data(repeating: byte, count: 100)) }
    }
  }
case "copy": try folder().package(named: "1").snapshot().copy("data", to: url.appending(path: "copy"))
case "open": _ = try folder()
case "delete":
  let folder = try folder()
  try folder.delete(try folder.package(named: "1"))
default: exit(2)
}
