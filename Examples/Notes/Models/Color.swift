/// A colour of the sRGB space, kept as JSON in one column.
struct Color: Codable, Equatable, Sendable {
  var red: UInt8
  var green: UInt8
  var blue: UInt8

  static let black = Color(red: 0, green: 0, blue: 0)
}
