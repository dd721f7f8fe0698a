/// What the page sends.
protocol DeviceForm: Decodable {
  /// The texts that a person writes.
  var texts: [String] { get }
}
