import Foundation
import LarderArchive
import LarderArchiveMutation
import Synchronization
import Testing

@Suite("Archives and packages: crashes")
struct CrashTests {
  /// Runs a command that is killed before its first call, its second and so on, until it goes through.
  private func everyStep(
    _ command: String, prepare: (URL) throws -> URL, check: (URL, _ isFinished: Bool) throws -> Void
  ) throws -> Int {
    for step in 1..<200 {
      let temporary = try TemporaryFolder()
      let url = try prepare(temporary.url)
      let isFinished = try TestProcess.finishes(command, url.path, step)
      try check(url, isFinished)
      if isFinished { return step }
    }
    Issue.record("The command never came to its end.")
    return 0
  }

  private func old(_ url: URL) throws -> URL {
    let folder = try PackageFolder(at: url, extension: "scarycreature")
    _ = try folder.add { parts in
      try parts.setValue(Creature.sample(1), for: "data")
      try parts.setData(Data("thumbnail 1".utf8), for: "thumbnail.png")
    }
    return url
  }

  @Test("D1: a file that is written when the process ends is the old one or the new one")
  func write() throws {
    let steps = try everyStep("write") { folder in
      let url = folder.appending(path: "creature")
      try Archive.write(Creature.sample(1), to: url)
      return url
    } check: { url, isFinished in
      let creature = try Archive.read(Creature.self, from: url)
      #expect(isFinished ? creature == .sample(2) : creature == .sample(1) || creature == .sample(2))
      // The next one deletes what is left of it.
      let other = url.deletingLastPathComponent().appending(path: "other")
      try Archive.write(Creature.sample(3), to: other)
      let names = try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path)
      #expect(names.sorted() == ["creature", "other"])
    }
    #expect(steps > 5)
  }

  @Test(
    "D5: a package that is changed when the process ends is the old one or the new one",
    arguments: ["edit", "replace"])
  func change(_ command: String) throws {
    let steps = try everyStep(command, prepare: old) { url, isFinished in
      let folder = try PackageFolder(at: url, extension: "scarycreature")
      #expect(try folder.packages().map(\.name) == ["1"])
      let package = try folder.package(named: "1")
      #expect(try !package.inspect().isDamaged)
      let creature = try package.value(Creature.self, for: "data")
      #expect(isFinished ? creature == .sample(2) : creature == .sample(1) || creature == .sample(2))
      let thumbnail = command == "replace" && creature == .sample(2) ? "thumbnail 2" : "thumbnail 1"
      #expect(try package.data(for: "thumbnail.png") == Data(thumbnail.utf8))
      #expect(try FileManager.default.contentsOfDirectory(atPath: url.path).allSatisfy { !$0.contains("staging") })
    }
    #expect(steps > 8)
  }

  @Test("D3: a package that is added when the process ends is there as a whole or not at all")
  func new() throws {
    let steps = try everyStep("new", prepare: old) { url, isFinished in
      let folder = try PackageFolder(at: url, extension: "scarycreature")
      let names = try folder.packages().map(\.name)
      #expect(isFinished ? names == ["1", "2"] : names == ["1"] || names == ["1", "2"])
      for package in try folder.packages() { #expect(try !package.inspect().isDamaged) }
      #expect(try FileManager.default.contentsOfDirectory(atPath: url.path).allSatisfy { !$0.contains("staging") })
    }
    #expect(steps > 8)
  }

  @Test("D3: a package that is deleted when the process ends is in the folder or in the trash")
  func delete() throws {
    _ = try everyStep("delete", prepare: old) { url, _ in
      let folder = try PackageFolder(at: url, extension: "scarycreature")
      #expect(try folder.packages().count + folder.deletedPackages().count == 1)
    }
  }

  @Test(
    "D5: a zip file that is written when the process ends is the old one or the new one, and the next one leaves nothing else",
    arguments: [false, true])
  func zip(_ isReplaced: Bool) throws {
    let steps = try everyStep("zip") { folder in
      _ = try old(folder)
      if isReplaced { try Data("old".utf8).write(to: folder.appending(path: "package.zip")) }
      return folder
    } check: { url, isFinished in
      let file = url.appending(path: "package.zip")
      let folder = try PackageFolder(at: url, extension: "scarycreature")
      let isNew = isFinished || (try? Data(contentsOf: file)).map { $0 != Data("old".utf8) } ?? false
      if isNew {
        #expect(try folder.add { try $0.setParts(ofZip: file) }.value(Creature.self, for: "data") == .sample(1))
      } else {
        #expect(FileManager.default.fileExists(atPath: file.path) == isReplaced)
      }
      try folder.package(named: "1").snapshot().writeZip(to: file)
      let names = try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
      #expect(names == [".larder-lock", "1.scarycreature"] + (isNew ? ["2.scarycreature"] : []) + ["package.zip"])
    }
    #expect(steps > 8)
  }

  @Test(
    "D5: a package of a zip file, or of another file, is there as a whole or not at all when the process ends",
    arguments: ["unzip", "stage"])
  func streamed(_ command: String) throws {
    let steps = try everyStep(command) { folder in
      _ = try old(folder)
      try PackageFolder(at: folder, extension: "scarycreature").package(named: "1").snapshot().writeZip(
        to: folder.appending(path: "package.zip"))
      return folder
    } check: { url, isFinished in
      let folder = try PackageFolder(at: url, extension: "scarycreature")
      let names = try folder.packages().map(\.name)
      #expect(isFinished ? names == ["1", "2"] : names == ["1"] || names == ["1", "2"])
      for package in try folder.packages() { #expect(try !package.inspect().isDamaged) }
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
          == [".larder-lock"] + names.map { $0 + ".scarycreature" } + ["package.zip"])
    }
    #expect(steps > 12)
  }

  @Test(
    "D5: a package that takes the parts of a zip file, or streamed parts, when the process ends is the old one or the new one",
    arguments: ["rezip", "restream"])
  func streamedChange(_ command: String) throws {
    let steps = try everyStep(command) { folder in
      _ = try old(folder)
      let elsewhere = try TemporaryFolder()
      try PackageFolder(at: elsewhere.url, extension: "x").add { parts in
        try parts.setValue(Creature.sample(2), for: "data")
        try parts.setData(Data("large".utf8), for: "images/full.png")
      }.snapshot().writeZip(to: folder.appending(path: "package.zip"))
      return folder
    } check: { url, isFinished in
      let folder = try PackageFolder(at: url, extension: "scarycreature")
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() == [
          ".larder-lock", "1.scarycreature", "package.zip",
        ])
      let package = try folder.package(named: "1")
      #expect(try !package.inspect().isDamaged)
      let isNew = try package.value(Creature.self, for: "data") == .sample(2)
      #expect(isNew || !isFinished)
      guard isNew else { return #expect(try package.partNames() == ["data", "thumbnail.png"]) }
      let streamed = Data((0..<4).flatMap { [UInt8](repeating: $0, count: 100) })
      #expect(
        try package.data(for: "images/full.png") == (command == "rezip" ? Data("large".utf8) : streamed))
      #expect(
        try package.partNames() == ["data", "images/full.png"] + (command == "rezip" ? [] : ["thumbnail.png"]))
    }
    #expect(steps > 12)
  }

  @Test(
    "D5: a file that a part is copied to when the process ends is the old one or the new one", arguments: [false, true])
  func copy(_ isReplaced: Bool) throws {
    let steps = try everyStep("copy") { folder in
      _ = try old(folder)
      if isReplaced { try Data("old".utf8).write(to: folder.appending(path: "copy")) }
      return folder
    } check: { url, isFinished in
      let package = try PackageFolder(at: url, extension: "scarycreature").package(named: "1")
      let data = try package.data(for: "data")
      let copied = FileManager.default.contents(atPath: url.appending(path: "copy").path)
      #expect(copied == data || !isFinished && copied == (isReplaced ? Data("old".utf8) : nil))
      // The next one deletes what is left of it.
      try package.snapshot().copy("data", to: url.appending(path: "copy"))
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() == [
          ".larder-lock", "1.scarycreature", "copy",
        ])
    }
    #expect(steps > 6)
  }

  @Test(
    "D5: a process that ends while it deletes what another one has left is not in the way of the next",
    arguments: ["unzip", "restream"])
  func cleaning(_ command: String) throws {
    func end(at step: Int, in url: URL) throws -> Bool {
      _ = try old(url)
      try PackageFolder(at: url, extension: "scarycreature").package(named: "1").snapshot().writeZip(
        to: url.appending(path: "package.zip"))
      return try TestProcess.finishes(command, url.path, step)
    }
    // The step at which most hidden files are left.
    var fullest = (step: 0, count: 0)
    for step in 1..<200 {
      let temporary = try TemporaryFolder()
      if try end(at: step, in: temporary.url) { break }
      let hidden = try FileManager.default.subpathsOfDirectory(atPath: temporary.url.path).filter {
        $0.hasPrefix(".larder-staging-")
      }
      if hidden.count > fullest.count { fullest = (step, hidden.count) }
    }
    #expect(fullest.count > 4)
    let steps = try everyStep("open") { url in
      let isFinished = try end(at: fullest.step, in: url)
      #expect(!isFinished)
      return url
    } check: { url, _ in
      let folder = try PackageFolder(at: url, extension: "scarycreature")
      let packages = try folder.packages()
      for package in packages { #expect(try !package.inspect().isDamaged) }
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
          == [".larder-lock"] + packages.map { $0.name + ".scarycreature" } + ["package.zip"])
    }
    #expect(steps > 3)
  }

  @Test("D1: content is synced before the name, and the name before the call returns")
  func order() throws {
    let temporary = try TemporaryFolder()
    let steps = Mutex<[String]>([])
    let fileSystem = FileSystem { step, _ in steps.withLock { $0.append(step) } }
    try Archive.write(try Archive.encode(1), to: temporary.file("number"), through: fileSystem)
    #expect(steps.withLock { $0 } == ["create", "write", "sync", "rename", "syncFolder"])
  }

  @Test(
    "D1: a write deletes neither the hidden files of others that run, nor folders of such names, however many there are",
    arguments: [0, 1, 62, 64])
  func concurrentWriters(strangers: Int) throws {
    let temporary = try TemporaryFolder()
    let (url, other) = (temporary.file("number"), temporary.file("other"))
    for number in 0..<strangers {
      let stranger = temporary.file(".larder-file-\(number)")
      try FileManager.default.createDirectory(at: stranger, withIntermediateDirectories: false)
    }
    // Another write before each step.
    let fileSystem = FileSystem { _, _ in try Archive.write(2, to: other) }
    try Archive.write(try Archive.encode(1), to: url, through: fileSystem)
    #expect(try Archive.read(Int.self, from: url) == 1)
    let names = try FileManager.default.contentsOfDirectory(atPath: temporary.url.path)
    #expect(names.count == strangers + 2 && names.contains("other"))
  }

  @Test(
    "D1: a write that fails leaves the old file and nothing else", arguments: ["create", "write", "sync", "rename"])
  func failure(_ failing: String) throws {
    let temporary = try TemporaryFolder()
    let url = temporary.file("number")
    try Archive.write(1, to: url)
    let fileSystem = FileSystem { step, _ in if step == failing { throw ArchiveError(.diskFull, "No space is left.") } }
    #expect(throws: ArchiveError.self) { try Archive.write(try Archive.encode(2), to: url, through: fileSystem) }
    #expect(try Archive.read(Int.self, from: url) == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.url.path) == ["number"])
  }

  @Test("D1: a file that is not there, or too large, is an error that says so")
  func reading() throws {
    let temporary = try TemporaryFolder()
    let missing = #expect(throws: ArchiveError.self) { try Archive.read(Int.self, from: temporary.file("none")) }
    #expect(missing?.code == .notFound)
    try Archive.write(1, to: temporary.file("one"))
    let large = #expect(throws: ArchiveError.self) {
      try Archive.read(Int.self, from: temporary.file("one"), limits: .init(size: 10))
    }
    #expect(large?.code == .limitExceeded)
  }
}
