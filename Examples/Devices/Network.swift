import Larder
import LarderSync

/// What lies between the two devices: each may be offline, and while both are online they exchange after every change.
actor Network {
  private let laptop: StoreSync
  private let phone: StoreSync
  private var offline: Set<Device.ID> = []
  /// Why the last exchange has failed; nil if it has not.
  private(set) var problem: String?
  /// How far the sync files of each device go that were handed out.
  private var handedOut: [Device.ID: ChangeCursor] = [:]
  /// How far those go that somebody has saved.
  private var saved: [Device.ID: ChangeCursor] = [:]
  /// The exchange that has begun last.
  private var lastExchange: Task<Void, Never>?
  /// The exchange that begins after it, if someone has asked for one.
  private var nextExchange: Task<Void, Never>?
  private var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
  private var nextListener = 0

  init(_ laptop: Device, _ phone: Device) {
    self.laptop = laptop.store.sync
    self.phone = phone.store.sync
  }

  func isOnline(_ device: Device.ID) -> Bool { !offline.contains(device) }

  func set(_ device: Device.ID, online isOnline: Bool) async {
    if isOnline { offline.remove(device) } else { offline.insert(device) }
    // An exchange that goes on may take its time.
    tellListeners()
    await changed()
  }

  /// Exchanges if both devices are online, and tells the windows that something may be different. Returns when that is done.
  ///
  /// One exchange ends before the next begins, which serves all who ask for one meanwhile: of two at once, either may leave
  /// what only the other has found. An error doesn't concern whoever has written something: it is stored, and goes with the
  /// next exchange.
  func changed() async {
    let exchange =
      nextExchange
      ?? Task { [last = lastExchange] in
        await last?.value
        (lastExchange, nextExchange) = (nextExchange, nil)
        await self.exchange()
      }
    nextExchange = exchange
    await exchange.value
  }

  private func exchange() async {
    do {
      if offline.isEmpty { try await laptop.exchange(with: phone) }
      problem = nil
    } catch {
      problem = Self.reason(of: error)
    }
    tellListeners()
  }

  private func tellListeners() {
    for listener in listeners.values { listener.yield() }
  }

  /// The reason in words for the person who looks at the page.
  private static func reason(of error: any Error) -> String {
    guard let error = error as? StoreError else { return "\(error)" }
    switch error.code {
    case .busy: return "Another program writes to one of the files."
    case .diskFull: return "The disk is full."
    default: return error.message
    }
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

  /// Where the next sync file of a device begins; nil for its first one.
  func savedFiles(of device: Device.ID) -> ChangeCursor? { saved[device] }

  func handOut(_ end: ChangeCursor, of device: Device.ID) {
    if end.position > handedOut[device]?.position ?? 0 { handedOut[device] = end }
  }

  /// Lets the next sync file of a device begin where a saved one ends.
  func save(upTo position: Int64, of device: Device.ID) {
    guard let end = handedOut[device], position <= end.position, position > saved[device]?.position ?? 0 else { return }
    saved[device] = ChangeCursor(replica: end.replica, position: position)
  }

  private func remove(_ id: Int) { listeners[id] = nil }
}
