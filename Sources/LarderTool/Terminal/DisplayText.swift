import Foundation

/// Text as a terminal shows it: nothing that a file holds may drive the terminal.
enum DisplayText {
  /// Returns the text with control characters, and those that change the direction of writing, shown as escapes.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - keepsLines: Whether a line feed stays one.
  static func escaped(_ text: String, keepsLines: Bool = false) -> String {
    guard text.utf8.contains(where: { $0 < 0x20 || $0 >= 0x7F }) else { return text }
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if isSafe(scalar) || keepsLines && scalar == "\n" {
        shown.append(scalar)
      } else {
        shown.append(contentsOf: escape(scalar).unicodeScalars)
      }
    }
    return String(shown)
  }

  /// Returns whether a scalar neither drives the terminal nor hides what stands beside it.
  static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate: false
    // Joiners belong to emoji and to some scripts.
    case .format: scalar == "\u{200C}" || scalar == "\u{200D}"
    default: true
    }
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    case "\0": "\\0"
    default: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
    }
  }

  /// Returns the number of columns that the text takes.
  static func width(of text: String) -> Int {
    text.utf8.allSatisfy { $0 < 0x80 } ? text.utf8.count : text.reduce(0) { $0 + width(of: $1) }
  }

  /// Returns the beginning of the text that takes at most so many columns, with … at its end if something is missing.
  static func cut(_ text: String, to limit: Int) -> String {
    guard width(of: text) > limit else { return text }
    var (shown, taken) = ("", 0)
    for character in text {
      taken += width(of: character)
      guard taken < limit else { break }
      shown.append(character)
    }
    return shown + "…"
  }

  /// A character of East Asian writing, and an emoji, take two columns. Source: Unicode Standard Annex 11, whose wide
  /// ranges are joined here where only unassigned characters lie between them.
  private static func width(of character: Character) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return 0 }
    if first.properties.isEmojiPresentation || scalars.contains("\u{FE0F}") { return 2 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    switch first.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
      0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
      0x17000...0x18CFF, 0x1B000...0x1B2FF, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }
}
