import LarderSync

/// What lies between the two devices: each may be offline, and while both are online they exchange after every change.
actor Network {
  private let laptop: StoreSync
  private let phone: StoreSync
  private var offline: Set<Device.ID> = []
  /// Where the last sync file of each device ends.
  private var lastFiles: [Device.ID: ChangeCursor] = [:]
  private var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
  private var nextListener = 0

  init(_ laptop: Device, _ phone: Device) {
    self.laptop = laptop.store.sync
    self.phone = phone.store.sync
  }

  func isOnline(_ device: Device.ID) -> Bool { !offline.contains(device) }

  func set(_ device: Device.ID, online isOnline: Bool) async throws {
    if isOnline { offline.remove(device) } else { offline.insert(device) }
    try await changed()
  }

  /// Exchanges if both devices are online, and tells the windows that something may be different.
  func changed() async throws {
    defer { for listener in listeners.values { listener.yield() } }
    if offline.isEmpty { try await laptop.exchange(with: phone) }
  }

  /// An element now, and one after each change.
  func changes() -> AsyncStream<Void> {
    let id = nextListener
    nextListener += 1
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    listeners[id] = continuation
    continuation.onTermination = { _ in Task { await self.remove(id) } }
    continuation.yield()
    return stream
  }

  func lastFile(of device: Device.ID) -> ChangeCursor? { lastFiles[device] }

  func setLastFile(of device: Device.ID, to end: ChangeCursor) { lastFiles[device] = end }

  private func remove(_ id: Int) { listeners[id] = nil }
}
