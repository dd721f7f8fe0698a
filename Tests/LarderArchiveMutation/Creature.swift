public import Foundation
public import LarderArchive

/// A value of many kinds of properties, for tests, fuzzing and benchmarks.
public struct Creature: Archivable, Sendable, Hashable {
  public static let archiveTag = "Creature"
  public static let archiveVersion = 2

  public var id: Int
  public var title: String
  public var rating: Double
  public var isScary: Bool
  public var born: Date?
  public var tags: [String]
  public var places: [String: Int]
  public var picture: Data

  public init(
    id: Int, title: String, rating: Double, isScary: Bool, born: Date?, tags: [String], places: [String: Int],
    picture: Data
  ) {
    self.id = id
    self.title = title
    self.rating = rating
    self.isScary = isScary
    self.born = born
    self.tags = tags
    self.places = places
    self.picture = picture
  }

  public static func sample(_ number: Int) -> Creature {
    Creature(
      id: number, title: number.isMultiple(of: 3) ? "Ungeheuer № \(number) ä" : "Creature \(number)",
      rating: Double(number % 50) / 10,
      isScary: number.isMultiple(of: 2),
      born: number.isMultiple(of: 5) ? nil : Date(timeIntervalSinceReferenceDate: Double(number) * 1000.5),
      tags: ["large", "old", "tag\(number % 17)"], places: ["cellar": number, "attic": -number],
      picture: Data((0..<16).map { UInt8(truncatingIfNeeded: number &+ $0) }))
  }
}
