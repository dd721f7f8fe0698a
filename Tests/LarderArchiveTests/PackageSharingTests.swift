import Foundation
import LarderArchive
import LarderArchiveMutation
import Synchronization
import Testing

@Suite("Packages: with others in the same folder")
struct PackageSharingTests {
  private let temporary: TemporaryFolder

  init() throws { temporary = try TemporaryFolder(isInMemory: true) }

  private func folder(limits: Archive.Limits = .default, _ fileSystem: FileSystem = .standard) throws -> PackageFolder {
    try PackageFolder(at: temporary.url, extension: "x", limits: limits, fileSystem: fileSystem)
  }

  private func add(
    to folder: PackageFolder, _ parts: [String: String] = ["a": "1", "b": "1"]
  ) throws -> DocumentPackage {
    try folder.add { for (name, text) in parts { try $0.setData(Data(text.utf8), for: name) } }
  }

  private func code(_ body: () throws -> Void) -> ArchiveError.Code? {
    #expect(throws: ArchiveError.self, performing: body)?.code
  }

  private func mode(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: temporary.file(name).path)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
  }

  @Test("D5: files of others in a package's folder survive every change", arguments: ["edit", "replaceAll"])
  func strangers(_ change: String) throws {
    let package = try add(to: folder())
    try Data("mine".utf8).write(to: temporary.file("1.x/stranger"))
    try Data("hidden".utf8).write(to: temporary.file("1.x/.hidden"))
    try FileManager.default.createDirectory(at: temporary.file("1.x/inner/deep"), withIntermediateDirectories: true)
    try Data("deep".utf8).write(to: temporary.file("1.x/inner/deep/file"))
    try FileManager.default.createSymbolicLink(atPath: temporary.file("1.x/link").path, withDestinationPath: "/nowhere")
    if change == "edit" {
      try package.edit { try $0.setData(Data("2".utf8), for: "a") }
    } else {
      try package.replaceAll { try $0.setData(Data("2".utf8), for: "a") }
    }
    #expect(try Data(contentsOf: temporary.file("1.x/stranger")) == Data("mine".utf8))
    #expect(try Data(contentsOf: temporary.file("1.x/.hidden")) == Data("hidden".utf8))
    #expect(try Data(contentsOf: temporary.file("1.x/inner/deep/file")) == Data("deep".utf8))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: temporary.file("1.x/link").path) == "/nowhere")
    #expect(try package.partNames() == (change == "edit" ? ["a", "b"] : ["a"]))
    #expect(FileManager.default.fileExists(atPath: temporary.file("1.x/b").path) == (change == "edit"))
  }

  @Test("D5: a part does not take the place of somebody else's file")
  func strangersName() throws {
    let package = try add(to: folder())
    try Data("mine".utf8).write(to: temporary.file("1.x/stranger"))
    #expect(code { try package.edit { try $0.setData(Data(), for: "stranger") } } == .invalidName)
    #expect(try Data(contentsOf: temporary.file("1.x/stranger")) == Data("mine".utf8))
  }

  @Test("D5: a file that somebody puts into the folder during a change survives it")
  func latecomer() throws {
    let place = temporary.file("1.x/late")
    let watched = FileSystem { step, name in
      if step == "exchange", name == "1.x" { try Data("late".utf8).write(to: place) }
    }
    _ = try add(to: folder())
    try folder(watched).package(named: "1").edit { try $0.remove("a") }
    #expect(try Data(contentsOf: place) == Data("late".utf8))
  }

  @Test("D3: the number of a package that another instance has added and deleted is not given again")
  func numberInTrash() throws {
    let (first, second) = (try folder(), try folder())
    #expect(try add(to: first).name == "1")
    let deleted = try second.delete(try add(to: second))
    #expect(try add(to: first).name == "3")
    #expect(try second.restore(deleted).name == "2")
  }

  @Test("D3: names of parts and packages are found in either normal form")
  func normalForms() throws {
    let (composed, decomposed) = ("\u{e9}", "e\u{301}")
    for (written, asked) in [(composed, decomposed), (decomposed, composed)] {
      let temporary = try TemporaryFolder(isInMemory: true)
      let folder = try PackageFolder(at: temporary.url, extension: "x")
      let package = try folder.add(named: written) { try $0.setData(Data([1]), for: written) }
      #expect(try package.data(for: asked) == Data([1]))
      #expect(try package.snapshot().data(for: asked) == Data([1]))
      try package.edit { try $0.setData(Data([2]), for: asked) }
      #expect(try folder.package(named: asked).data(for: written) == Data([2]))
      #expect(try package.partNames().count == 1)
      #expect(code { _ = try folder.add(named: asked) { _ in } } == .invalidName)
    }
  }

  @Test("D5: a change of a package that lacks the file of another part names that part, and may mend it")
  func missingFile() throws {
    let package = try add(to: folder())
    try FileManager.default.removeItem(at: temporary.file("1.x/b"))
    let error = #expect(throws: ArchiveError.self) { try package.edit { try $0.setData(Data("2".utf8), for: "a") } }
    #expect(error?.code == .damaged && error?.keyPath == "b")
    try package.edit { try $0.setData(Data("2".utf8), for: "b") }
    #expect(try package.data(for: "b") == Data("2".utf8) && !package.inspect().isDamaged)
  }

  @Test("D5: a snapshot has the parts of one moment, also after changes, and its files go with it")
  func snapshot() throws {
    let folder = try folder()
    let package = try add(to: folder)
    do {
      let snapshot = try package.snapshot()
      #expect(try snapshot.data(for: "a") == Data("1".utf8))
      for number in 2...4 {
        try package.edit {
          try $0.setData(Data("\(number)".utf8), for: "a")
          try $0.setData(Data("\(number)".utf8), for: "b")
        }
      }
      try folder.delete(package)
      #expect(try snapshot.data(for: "b") == Data("1".utf8))
      #expect(snapshot.partNames() == ["a", "b"])
      #expect(code { _ = try package.snapshot() } == .notFound)
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: temporary.url.path).allSatisfy { !$0.contains("staging") })
  }

  @Test("D5: snapshots that are taken during edits never mix two versions")
  func snapshotsDuringEdits() throws {
    let package = try add(to: folder())
    let editor = try folder().package(named: "1")
    let isDone = Atomic(false)
    let finished = DispatchSemaphore(value: 0)
    let thread = Thread {
      for number in 0..<300 {
        try? editor.edit {
          try $0.setData(Data("\(number)".utf8), for: "a")
          try $0.setData(Data("\(number)".utf8), for: "b")
        }
      }
      isDone.store(true, ordering: .releasing)
      finished.signal()
    }
    thread.start()
    var count = 0
    while !isDone.load(ordering: .acquiring) {
      let snapshot = try package.snapshot()
      #expect(try snapshot.data(for: "a") == snapshot.data(for: "b"))
      count += 1
    }
    finished.wait()
    #expect(count > 0)
    _ = try folder().clean()
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: temporary.url.path).allSatisfy { !$0.contains("staging") })
  }

  @Test("D3: a package whose folder became a link is not read, changed or deleted through it")
  func folderBecameLink() throws {
    let package = try add(to: folder())
    let other = try TemporaryFolder(isInMemory: true)
    _ = try PackageFolder(at: other.url, extension: "x").add { try $0.setData(Data("secret".utf8), for: "a") }
    _ = try package.partNames()
    try FileManager.default.removeItem(at: temporary.file("1.x"))
    try FileManager.default.createSymbolicLink(at: temporary.file("1.x"), withDestinationURL: other.file("1.x"))
    #expect(throws: ArchiveError.self) { try package.data(for: "a") }
    #expect(throws: ArchiveError.self) { try package.unverifiedData(for: "a") }
    #expect(throws: ArchiveError.self) { try package.snapshot() }
    #expect(throws: ArchiveError.self) { try package.inspect() }
    #expect(throws: ArchiveError.self) { try package.edit { try $0.setData(Data(), for: "a") } }
    package.reload()
    #expect(throws: ArchiveError.self) { try package.partNames() }
    let folder = try folder()
    // The link may go, but not what it leads to.
    _ = try? folder.delete(package)
    try folder.emptyTrash()
    #expect(try Data(contentsOf: other.file("1.x/a")) == Data("secret".utf8))
  }

  @Test("D5: a change keeps the permissions of package and parts, and what is new is no more open than its folder")
  func permissions() throws {
    let folder = try folder()
    let package = try add(to: folder)
    for name in ["1.x/a", "1.x/.manifest"] { #expect(chmod(temporary.file(name).path, 0o600) == 0) }
    #expect(chmod(temporary.file("1.x").path, 0o700) == 0)
    try package.edit {
      try $0.setData(Data("2".utf8), for: "a")
      try $0.setData(Data("2".utf8), for: "new")
    }
    #expect(try mode("1.x") == 0o700)
    #expect(try mode("1.x/a") == 0o600 && mode("1.x/.manifest") == 0o600 && mode("1.x/new") == 0o600)
    #expect(chmod(temporary.url.path, 0o700) == 0)
    #expect(try add(to: folder).name == "2")
    #expect(try mode("2.x") == 0o700 && mode("2.x/a") == 0o600)
  }

  @Test("D1: an archive that is written anew keeps its permissions, and a new one is no more open than its folder")
  func archivePermissions() throws {
    let url = temporary.file("number")
    try Archive.write(1, to: url)
    #expect(chmod(url.path, 0o600) == 0)
    try Archive.write(2, to: url)
    #expect(try mode("number") == 0o600 && Archive.read(Int.self, from: url) == 2)
    #expect(chmod(url.path, 0o640) == 0)
    try Archive.write(3, to: url)
    #expect(try mode("number") == 0o640)
    #expect(chmod(temporary.url.path, 0o700) == 0)
    try Archive.write(1, to: temporary.file("other"))
    #expect(try mode("other") == 0o600)
  }

  @Test("D3: a part that nobody could read within the folder's limits is not written")
  func limits() throws {
    let folder = try folder(limits: .init(size: 1000))
    #expect(code { _ = try folder.add { try $0.setData(Data(count: 1001), for: "a") } } == .limitExceeded)
    #expect(code { _ = try folder.add { try $0.setValue(Data(count: 1001), for: "a") } } == .limitExceeded)
    let package = try folder.add { try $0.setData(Data(count: 1000), for: "a") }
    #expect(try package.data(for: "a").count == 1000)
    #expect(
      code { try package.edit { for number in 0..<100 { try $0.setData(Data(), for: "part \(number)") } } }
        == .limitExceeded)
    #expect(try package.partNames() == ["a"])
  }
}
