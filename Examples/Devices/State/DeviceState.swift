/// What the page shows of a device.
struct DeviceState: Encodable, Equatable, Sendable {
  let id: Device.ID
  let name: String
  let isOnline: Bool
  /// Why the last exchange has failed; nil if it has not.
  let problem: String?
  let contents: Contents
  /// The number of changes that the other device doesn't have.
  let waiting: Int
  let conflicts: [ConflictState]
  let setAside: [SetAsideState]
}
