import Foundation
import Larder
import LarderArchive
import Synchronization

@Model
private struct Shipment {
  var id: Int
  var contents: [Attachment] = []
}

extension LarderTestProcess {
  /// Exports the first row to a folder of packages, and ends itself before the step of a number.
  func exportKilled(_ number: Int) async throws {
    let fileSystem = Self.killing(before: number)
    let store = try Store(at: path, for: Shipment.self)
    let folder = try PackageFolder(
      at: URL(filePath: path + ".packages\(number)"), extension: "shipment", fileSystem: fileSystem)
    guard let shipment = try await store.first(Shipment.all) else { return Self.say("no row") }
    _ = try await store.export(shipment, to: folder)
    Self.say("exported")
  }

  /// Imports a package into a store of its own, and ends itself before the step of a number.
  func importKilled(_ number: Int) async throws {
    let fileSystem = Self.killing(before: number)
    let store = try Store(at: path + ".imported\(number)", for: Shipment.self)
    let folder = try PackageFolder(
      at: URL(filePath: path + ".packages"), extension: "shipment", fileSystem: fileSystem)
    try await store.importPackage(try folder.package(named: "1"), as: Shipment.self)
    Self.say("imported")
  }

  /// Ends the process, as a crash would, before a call of the file system for packages, or a step of an attachment,
  /// whichever has the number.
  private static func killing(before number: Int) -> FileSystem {
    let steps = Steps()
    // The collector works beside this, and would make the numbers random.
    let collecting: [FaultPoint] = [.checkpointed, .unlinked, .rowForgotten, .collected]
    FaultPoint.observe { point in
      if !collecting.contains(point), steps.next() == number { kill(getpid(), SIGKILL) }
    }
    return FileSystem { _, _ in
      if steps.next() == number { kill(getpid(), SIGKILL) }
    }
  }

  private final class Steps: Sendable {
    private let count = Atomic<Int>(0)
    func next() -> Int { count.add(1, ordering: .relaxed).newValue }
  }
}
