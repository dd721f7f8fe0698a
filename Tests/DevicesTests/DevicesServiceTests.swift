import Foundation
import Larder
import LarderSync
import Testing

@testable import Devices

@Suite("The service of the two devices")
struct DevicesServiceTests {
  @Test("Devices that are written to while they meet are in step once both requests are answered", arguments: 0..<40)
  func writingWhileTheyMeet(_ delay: Int) async throws {
    try await withDevices { service in
      let phone = try #require(service.stores["phone"])
      await service.set(.laptop, online: true)
      let bo = try await #require(phone.first(Author.all.where { $0.name == "Bo" }))
      let graz = try await #require(phone.first(Note.all.where { $0.title == "Graz" }))
      await service.set(.phone, online: false)
      try await service.delete(Author.self, bo.id, on: .laptop)

      var change = NoteChange()
      change.author = NoteChange.Choice(id: bo.id)
      async let meeting: Void = service.set(.phone, online: true)
      // The write comes a little later each time, so that it meets every part of the exchange.
      try await Task.sleep(for: .microseconds(delay * 100))
      try await service.change(graz.id, change, on: .phone)
      await meeting

      for (name, store) in service.stores {
        #expect(try await store.find(Note.self, graz.id)?.author?.id == bo.id, "\(name)")
        #expect(try await store.find(Author.self, bo.id) != nil, "\(name): a note names its author")
        for (_, other) in service.stores where other !== store {
          #expect(try await store.sync.pending(for: other.sync) == 0, "\(name)")
        }
      }
    }
  }
}

/// Runs the body with two new devices in a folder that goes away afterwards.
private func withDevices(_ body: (DevicesService) async throws -> Void) async throws {
  let folder = FileManager.default.temporaryDirectory.appending(
    path: "devices-\(UUID().uuidString)", directoryHint: .isDirectory)
  defer { try? FileManager.default.removeItem(at: folder) }
  try await body(DevicesService(folder: folder))
}
