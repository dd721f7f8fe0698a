import AsyncAlgorithms
import Foundation
import Larder
import LarderSync

/// What can be done with the two devices. Each change is written to one store; the other hears of it by an exchange.
struct DevicesService: Sendable {
  private let devices: [Device.ID: Device]
  private let network: Network

  /// Opens `laptop.larder` and `phone.larder` and creates them, with a few notes, if need be.
  ///
  /// Throws `StoreError` if one of the files is no store of these notes, and what Foundation throws if the folder cannot
  /// be made.
  init(folder: URL) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let laptop = try Device(.laptop, folder: folder)
    let phone = try Device(.phone, folder: folder)
    devices = [.laptop: laptop, .phone: phone]
    network = Network(laptop, phone)
    try laptop.store.blocking.once("first notes") { db in try FirstNotes.insert(in: db) }
  }

  /// The store of each device.
  var stores: [String: Store] {
    Dictionary(uniqueKeysWithValues: devices.map { ($0.key.rawValue, $0.value.store) })
  }

  // MARK: Reading

  /// What the page shows, as it is now and after each change on either device.
  func states() async -> some AsyncSequence<[DeviceState], any Error> & Sendable {
    let stores = Device.ID.allCases.map { store(of: $0).live { try Contents(in: $0) }.map { _ in () } }
    let changes = merge(stores[0], stores[1], await network.changes())
    // While one state is read, the changes that follow become one: what comes next is the newest.
    return changes.buffer(policy: .bufferingLatest(1)).map { try await state() }.removeDuplicates()
  }

  private func state() async throws -> [DeviceState] {
    var states: [DeviceState] = []
    for id in Device.ID.allCases {
      let other = store(of: id == .laptop ? .phone : .laptop)
      let store = store(of: id)
      let contents = try await store.read { try Contents(in: $0) }
      states.append(
        DeviceState(
          id: id, name: id.name, isOnline: await network.isOnline(id), problem: await network.problem,
          contents: contents,
          waiting: try await store.sync.pending(for: other.sync),
          conflicts: try await store.sync.conflicts().map { ConflictState($0, contents) },
          setAside: try await store.sync.setAside().compactMap { SetAsideState($0, contents) }))
    }
    return states
  }

  private func store(of device: Device.ID) -> Store {
    guard let device = devices[device] else { preconditionFailure("Each device is made with the service.") }
    return device.store
  }

  // MARK: The connection

  /// Both devices exchange what they have when both are online again.
  func set(_ device: Device.ID, online isOnline: Bool) async {
    await network.set(device, online: isOnline)
  }

  /// Brings both devices in step as soon as the page is opened, which doesn't wait for it.
  func start() {
    Task { await network.changed() }
  }

  // MARK: Writing

  /// Adds a note on a device: a new one, or one that was deleted there.
  func add(_ content: NoteContent, on device: Device.ID) async throws {
    try await store(of: device).write { db in
      let note = content.note
      try db.save(note)
      for tag in content.tags ?? [] {
        if let tag = try db.find(Tag.self, tag) { try db.link(note, \.tags, tag) }
      }
    }
    await network.changed()
  }

  /// Stores a row on a device, new or changed.
  func save<M: Model>(_ row: M, on device: Device.ID) async throws {
    try await store(of: device).save(row)
    await network.changed()
  }

  /// Changes a note on a device. Only the properties that differ afterwards are sent to the other.
  ///
  /// Throws `DeviceProblem.gone` if there is no such note.
  func change(_ id: Note.ID, _ change: NoteChange, on device: Device.ID) async throws {
    try await store(of: device).write { db in
      guard var note = try db.find(Note.self, id) else { throw DeviceProblem.gone }
      change.apply(to: &note)
      try db.update(note)
      guard let tag = change.tag, let found = try db.find(Tag.self, tag.id) else { return }
      if tag.isSet { try db.link(note, \.tags, found) } else { try db.unlink(note, \.tags, found) }
    }
    await network.changed()
  }

  /// Renames a tag on a device. Throws `DeviceProblem.gone` if there is none.
  func rename(_ id: Tag.ID, to name: String, on device: Device.ID) async throws {
    try await store(of: device).write { db in
      guard var tag = try db.find(Tag.self, id) else { throw DeviceProblem.gone }
      tag.name = name
      try db.update(tag)
    }
    await network.changed()
  }

  /// Deletes a row on a device, with what the delete rules say.
  ///
  /// Throws `DeviceProblem.gone` if there is no such row, and `.named` for an author of notes.
  func delete<M: Model>(_ type: M.Type, _ id: M.ID, on device: Device.ID) async throws {
    try await store(of: device).write { db in
      guard let row = try db.find(type, id) else { throw DeviceProblem.gone }
      do {
        try db.delete(row)
      } catch let error as StoreError where error.code == .referenced {
        throw DeviceProblem.named
      }
    }
    await network.changed()
  }

  // MARK: Files

  /// Writes a sync file with what has changed on a device since the last one that was saved. Returns where it ends.
  func writeFile(of device: Device.ID, to url: URL) async throws -> Int64 {
    let since = await network.savedFiles(of: device)
    let file = try await store(of: device).sync.export(to: url, since: since)
    await network.handOut(file.upTo, of: device)
    return file.upTo.position
  }

  /// Notes that a file which ends there was saved: the next one leaves out what is in it.
  func noteSavedFile(upTo position: Int64, of device: Device.ID) async {
    await network.save(upTo: position, of: device)
  }

  /// Merges a sync file on a device.
  ///
  /// Throws `BatchError` for a damaged file, which changes nothing.
  func readFile(at url: URL, on device: Device.ID) async throws -> FileOutcome {
    let report = try await store(of: device).sync.import(from: url)
    await network.changed()
    return FileOutcome(rows: report.changed, leavesGap: report.leavesGap)
  }

  // MARK: What lost, and what waits

  /// Does what was chosen for a conflict. Throws `DeviceProblem.gone` if somebody decided before, and `.decided`
  /// if somebody does so now.
  func settle(_ token: String, by choice: ConflictChoice, on device: Device.ID) async throws {
    let sync = store(of: device).sync
    guard let conflict = try await sync.conflicts().first(where: { ConflictState.token(of: $0) == token }) else {
      throw DeviceProblem.gone
    }
    try await deciding {
      switch choice {
      case .restore: try await sync.restore(conflict)
      case .dismiss: try await sync.dismiss(conflict)
      }
    }
  }

  /// Does what was chosen for a row that is set aside. Throws `DeviceProblem.gone` if it is so no longer,
  /// and `.decided` if somebody decides now.
  func settle(_ token: String, by choice: SetAsideChoice, on device: Device.ID) async throws {
    let sync = store(of: device).sync
    guard let row = try await sync.setAside().first(where: { SetAsideState.token(of: $0) == token }) else {
      throw DeviceProblem.gone
    }
    try await deciding {
      switch choice {
      case .restore: try await sync.restore(row)
      case .merge: try await sync.merge(row)
      case .discard: try await sync.discard(row)
      }
    }
  }

  private func deciding(_ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let error as StoreError where [.notFound, .referenced].contains(error.code) {
      throw DeviceProblem.decided
    }
    await network.changed()
  }
}
