import Foundation
import Larder

/// Models of types that are kept as their raw value or as JSON.
enum Coded {
  enum Suit: String, CaseIterable, Sendable {
    case clubs, diamonds, hearts
    case spades = "♠︎ and \"more\""
  }

  enum Level: Int, CaseIterable, Sendable {
    case lowest = -9_223_372_036_854_775_808
    case none = 0
    case highest = 9_223_372_036_854_775_807
  }

  struct Tag: RawRepresentable, Hashable, Sendable {
    var rawValue: String
  }

  enum Shape: Codable, Hashable, Sendable {
    case point
    case circle(radius: Double)
    case polygon([Corner])
    case labelled(String, at: Corner?)
  }

  struct Corner: Codable, Hashable, Sendable {
    var x: Int
    var y: Double
    var note: String?
  }

  struct Drawing: Codable, Hashable, Sendable {
    var title: String
    var shapes: [Shape]
    var made: Date
    var layers: [String: [Corner]]
  }

  @Model struct SuitRow: SampleRow {
    var id: Int
    var value: Suit
    var maybe: Suit?
  }

  @Model struct LevelRow: SampleRow {
    var id: Int
    var value: Level
    var maybe: Level?
  }

  @Model struct TagRow: SampleRow {
    var id: Int
    var value: Tag
    var maybe: Tag?
  }

  @Model struct ShapeRow: SampleRow {
    var id: Int
    var value: Shape
    var maybe: Shape?
  }

  @Model struct DrawingRow: SampleRow {
    var id: Int
    var value: Drawing
    var maybe: Drawing?
  }

  @Model struct ArrayRow: SampleRow {
    var id: Int
    var value: [String]
    var maybe: [String]?
  }

  @Model struct OptionalsRow: SampleRow {
    var id: Int
    var value: [Int?]
    var maybe: [Int?]?
  }

  @Model struct SetRow: SampleRow {
    var id: Int
    var value: Set<String>
    var maybe: Set<String>?
  }

  @Model struct DictionaryRow: SampleRow {
    var id: Int
    var value: [String: Double]
    var maybe: [String: Double]?
  }
}
