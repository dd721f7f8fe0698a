/// The tokenizer of full-text indexes, which splits text at characters that are neither letters nor digits.
///
/// FTS5's `unicode61` only knows Unicode 6.1, and treats all later characters as letters: a newer emoji would become
/// part of an adjacent word. So the index lists those that aren't letters as separators. This is an option of the
/// index, so every program with FTS5 can still write the table. Source:
/// <https://www.sqlite.org/fts5.html#unicode61_tokenizer>.
enum SearchWords {
  /// The version of these rules. An index of an earlier version is rebuilt when its store is opened for writing.
  static let version = 1

  /// The tokenizer of an index.
  static let tokenizer: String = {
    // Greatest first: FTS5 keeps them sorted, and then has none to skip.
    func text(_ ranges: [ClosedRange<UInt32>]) -> String {
      String(String.UnicodeScalarView(ranges.reversed().flatMap { $0.reversed() }.compactMap(Unicode.Scalar.init)))
    }
    return "\(firstTokenizer) tokenchars '\(text(letters))' separators '\(text(separators))'"
  }()

  /// The tokenizer of indexes from before there were versions.
  static let firstTokenizer = "unicode61 remove_diacritics 2"

  /// Returns the search for what a person types: each word is found by its beginning. Nil if there is no word.
  static func pattern(typed text: String) -> String? {
    // Split by scalars, as the index does: a quotation mark may form one character with a combining mark.
    let words = text.unicodeScalars.split(whereSeparator: isSeparator).filter { $0.contains(where: beginsWord) }
    return words.isEmpty ? nil : words.map { "\"\(String($0))\"*" }.joined(separator: " ")
  }

  /// Returns whether an index splits words at the character. Combining marks are part of words here, and FTS5 separates
  /// them in the same way.
  static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
      .letterNumber, .otherNumber:
      return false
    case .nonspacingMark, .spacingMark, .enclosingMark: return false
    // FTS5 reads these two as U+FFFD.
    case .unassigned where scalar.value == 0xFFFE || scalar.value == 0xFFFF: return true
    default: break
    }
    // Swift may be older or newer than the list. Characters that neither the list nor FTS5 knows are letters in the
    // index.
    if separators.contains(scalar.value) { return true }
    guard ![.privateUse, .unassigned].contains(scalar.properties.generalCategory), let age = scalar.properties.age
    else { return false }
    return (age.major, age.minor) <= (6, 1)
  }

  /// Returns whether a word can begin with the character in an index.
  static func beginsWord(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: false
    default: !isSeparator(scalar)
    }
  }

  /// The letters that were marks in Unicode 6.1. Source: <https://www.unicode.org/Public/17.0.0/ucd/UnicodeData.txt>.
  private static let letters: [ClosedRange<UInt32>] = [
    0x19B0...0x19C0, 0x19C8...0x19C9, 0x1CF2...0x1CF3,
  ]

  /// Characters that were added after Unicode 6.1, up to 17.0, and are neither letters nor digits nor marks. Source: as
  /// above.
  private static let separators: [ClosedRange<UInt32>] = [
    0x58D...0x58E, 0x605...0x605, 0x61C...0x61D, 0x7FE...0x7FF, 0x888...0x888, 0x890...0x891, 0x8E2...0x8E2,
    0x9FD...0x9FD, 0xA76...0xA76,
    0xC77...0xC77, 0xC84...0xC84, 0xD4F...0xD4F, 0x1B4E...0x1B4F, 0x1B7D...0x1B7F, 0x2066...0x2069, 0x20BA...0x20C1,
    0x218A...0x218B,
    0x23F4...0x23FF, 0x2427...0x2429, 0x2700...0x2700, 0x2B4D...0x2B4F, 0x2B5A...0x2B73, 0x2B76...0x2BFF,
    0x2E3C...0x2E5D, 0x2FFC...0x2FFF,
    0x31E4...0x31E5, 0x31EF...0x31EF, 0x32FF...0x32FF, 0xA8FC...0xA8FC, 0xAB5B...0xAB5B, 0xAB6A...0xAB6B,
    0xFBC2...0xFBD2, 0xFD40...0xFD4F,
    0xFD90...0xFD91, 0xFDC8...0xFDCF, 0xFDFE...0xFDFF, 0x1018C...0x1018E, 0x1019C...0x1019C, 0x101A0...0x101A0,
    0x1056F...0x1056F,
    0x10877...0x10878, 0x10AC8...0x10AC8, 0x10AF0...0x10AF6, 0x10B99...0x10B9C, 0x10D6E...0x10D6E, 0x10D8E...0x10D8F,
    0x10EAD...0x10EAD,
    0x10ED0...0x10ED8, 0x10F55...0x10F59, 0x10F86...0x10F89, 0x110CD...0x110CD, 0x11174...0x11175, 0x111CD...0x111CD,
    0x111DB...0x111DB,
    0x111DD...0x111DF, 0x11238...0x1123D, 0x112A9...0x112A9, 0x113D4...0x113D5, 0x113D7...0x113D8, 0x1144B...0x1144F,
    0x1145A...0x1145B,
    0x1145D...0x1145D, 0x114C6...0x114C6, 0x115C1...0x115D7, 0x11641...0x11643, 0x11660...0x1166C, 0x116B9...0x116B9,
    0x1173C...0x1173F,
    0x1183B...0x1183B, 0x11944...0x11946, 0x119E2...0x119E2, 0x11A3F...0x11A46, 0x11A9A...0x11A9C, 0x11A9E...0x11AA2,
    0x11B00...0x11B09,
    0x11BE1...0x11BE1, 0x11C41...0x11C45, 0x11C70...0x11C71, 0x11EF7...0x11EF8, 0x11F43...0x11F4F, 0x11FD5...0x11FF1,
    0x11FFF...0x11FFF,
    0x12474...0x12474, 0x12FF1...0x12FF2, 0x13430...0x1343F, 0x16A6E...0x16A6F, 0x16AF5...0x16AF5, 0x16B37...0x16B3F,
    0x16B44...0x16B45,
    0x16D6D...0x16D6F, 0x16E97...0x16E9A, 0x16FE2...0x16FE2, 0x1BC9C...0x1BC9C, 0x1BC9F...0x1BCA3, 0x1CC00...0x1CCEF,
    0x1CCFA...0x1CCFC,
    0x1CD00...0x1CEB3, 0x1CEBA...0x1CED0, 0x1CEE0...0x1CEF0, 0x1CF50...0x1CFC3, 0x1D1DE...0x1D1EA, 0x1D800...0x1D9FF,
    0x1DA37...0x1DA3A,
    0x1DA6D...0x1DA74, 0x1DA76...0x1DA83, 0x1DA85...0x1DA8B, 0x1E14F...0x1E14F, 0x1E2FF...0x1E2FF, 0x1E5FF...0x1E5FF,
    0x1E95E...0x1E95F,
    0x1ECAC...0x1ECAC, 0x1ECB0...0x1ECB0, 0x1ED2E...0x1ED2E, 0x1F0BF...0x1F0BF, 0x1F0E0...0x1F0F5, 0x1F10D...0x1F10F,
    0x1F12F...0x1F12F,
    0x1F16C...0x1F16F, 0x1F19B...0x1F1AD, 0x1F23B...0x1F23B, 0x1F260...0x1F265, 0x1F321...0x1F32F, 0x1F336...0x1F336,
    0x1F37D...0x1F37F,
    0x1F394...0x1F39F, 0x1F3C5...0x1F3C5, 0x1F3CB...0x1F3DF, 0x1F3F1...0x1F3FF, 0x1F43F...0x1F43F, 0x1F441...0x1F441,
    0x1F4F8...0x1F4F8,
    0x1F4FD...0x1F4FF, 0x1F53E...0x1F53F, 0x1F544...0x1F54F, 0x1F568...0x1F5FA, 0x1F641...0x1F644, 0x1F650...0x1F67F,
    0x1F6C6...0x1F6D8,
    0x1F6DC...0x1F6EC, 0x1F6F0...0x1F6FC, 0x1F774...0x1F7D9, 0x1F7E0...0x1F7EB, 0x1F7F0...0x1F7F0, 0x1F800...0x1F80B,
    0x1F810...0x1F847,
    0x1F850...0x1F859, 0x1F860...0x1F887, 0x1F890...0x1F8AD, 0x1F8B0...0x1F8BB, 0x1F8C0...0x1F8C1, 0x1F8D0...0x1F8D8,
    0x1F900...0x1FA57,
    0x1FA60...0x1FA6D, 0x1FA70...0x1FA7C, 0x1FA80...0x1FA8A, 0x1FA8E...0x1FAC6, 0x1FAC8...0x1FAC8, 0x1FACD...0x1FADC,
    0x1FADF...0x1FAEA,
    0x1FAEF...0x1FAF8, 0x1FB00...0x1FB92, 0x1FB94...0x1FBEF, 0x1FBFA...0x1FBFA,
  ]
}

extension [ClosedRange<UInt32>] {
  /// Whether one of the ranges, which are in order, has the value.
  fileprivate func contains(_ value: UInt32) -> Bool {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].upperBound < value { low = middle + 1 } else { high = middle }
    }
    return low < endIndex && self[low].contains(value)
  }
}
