import Larder

/// The font of a note: kept in the note's own columns `font_name` and `font_size`.
@Embeddable
struct Font: Codable, Equatable, Sendable {
  var name: String = "Helvetica"
  /// In points.
  var size: Double = 16
}
