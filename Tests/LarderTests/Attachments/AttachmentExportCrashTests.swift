import Foundation
import LarderArchive
import Testing

@testable import Larder

@Model("Shipment")
private struct Cargo: Hashable {
  var id: Int
  var contents: [Larder.Attachment] = []
}

@Suite("Attachments: packages of processes that are killed", .timeLimit(.minutes(20)))
struct AttachmentExportCrashTests {
  private let file: StoreFile
  private let store: Store
  private let cargo: Cargo

  /// A store with a row that refers to attachments of several chunks, of few bytes and of none.
  init() async throws {
    file = try StoreFile()
    store = try Self.open(file.path)
    var contents: [Larder.Attachment] = []
    for size in [3 * AttachmentFile.chunk + 5, 10, 0] { contents.append(try await store.attach(Data.sample(size))) }
    cargo = Cargo(id: 1, contents: contents)
    try await store.save(cargo)
  }

  private static func open(_ path: String) throws -> Store {
    let store = try Store(at: path, for: Cargo.self)
    store.attachmentCollector.stop()
    return store
  }

  /// Whether the process comes to its end; otherwise it is killed before the step of a number.
  private func finishes(_ command: String, _ step: Int) async throws -> Bool {
    let child = try ChildProcess(command, file.path, step)
    let lines = await child.rest()
    let status = await child.status()
    #expect(status == (lines.isEmpty ? SIGKILL : 0), "\(command) \(step)")
    #expect(lines.isEmpty || lines == [command == "exportKilled" ? "exported" : "imported"])
    return !lines.isEmpty
  }

  private func names(in folder: PackageFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { $0 != ".larder-lock" }.sorted()
  }

  /// Expects the row and all its data, and nothing else that a collection leaves.
  private func expectAll(of store: Store, at path: String) async throws {
    #expect(try await store.fetch(Cargo.all) == [cargo])
    for content in cargo.contents {
      #expect(try await store.data(of: content) == Data.sample(Int(content.size)))
    }
    _ = try await store.collectAttachments()
    let report = try await store.verifyAttachments()
    #expect(report.isWhole && report.orphaned.isEmpty)
    let folder = AttachmentFolder(ofStore: path)
    #expect(Set(folder.shards().flatMap(folder.digests)) == Set(cargo.contents.map(\.digest)))
    #expect(AttachmentFolder.names(in: folder.temporary).isEmpty)
  }

  @Test("D5: an export that is killed at any step leaves a whole package or none, and is not in the way of the next")
  func exports() async throws {
    for step in 1..<300 {
      let isFinished = try await finishes("exportKilled", step)
      let folder = try PackageFolder(at: URL(filePath: file.path + ".packages\(step)"), extension: "shipment")
      let left = try folder.packages()
      #expect(left.count == 1 || left.isEmpty && !isFinished)
      #expect(try names(in: folder) == left.map { $0.name + ".shipment" }, "step \(step)")
      let next = try await store.export(cargo, to: folder)
      #expect(next.name == "\(left.count + 1)")
      for package in left + [next] {
        #expect(try !package.inspect().isDamaged)
        #expect(try Set(package.partNames()) == Set(["row"] + cargo.contents.map(\.digest)))
      }
      if let package = left.first {
        let path = file.path + ".again\(step)"
        let other = try Self.open(path)
        #expect(try await other.importPackage(package, as: Cargo.self) == cargo)
        try await expectAll(of: other, at: path)
      }
      guard isFinished else { continue }
      try await expectAll(of: store, at: file.path)
      #expect(step > 30)
      return
    }
    Issue.record("The export never came to its end.")
  }

  @Test("D5: an import that is killed at any step leaves the row with all its data or no row, and is done again")
  func imports() async throws {
    let folder = try PackageFolder(at: URL(filePath: file.path + ".packages"), extension: "shipment")
    let package = try await store.export(cargo, to: folder)
    for step in 1..<300 {
      let isFinished = try await finishes("importKilled", step)
      #expect(try names(in: folder) == ["1.shipment"] && !package.inspect().isDamaged)
      let path = file.path + ".imported\(step)"
      let other = try Self.open(path)
      #expect(try await other.verifyAttachments().isWhole)
      let rows = try await other.fetch(Cargo.all)
      #expect(rows == [cargo] || rows.isEmpty && !isFinished, "step \(step)")
      if rows.isEmpty {
        _ = try await other.collectAttachments()
        #expect(try await other.verifyAttachments().orphaned.isEmpty)
      }
      try await other.importPackage(package, as: Cargo.self)
      try await expectAll(of: other, at: path)
      guard isFinished else { continue }
      #expect(step > 20)
      return
    }
    Issue.record("The import never came to its end.")
  }
}
