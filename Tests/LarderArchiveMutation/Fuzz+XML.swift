internal import Foundation
internal import LarderArchive
internal import LarderRandom

extension Fuzz {
  /// A keyed archive as XML, and the same one with a byte order mark, a document type, comments and instructions: they
  /// end in the same way. One whose document type has declarations is refused.
  func runDecoratedXML(_ generator: inout SplitMix64) throws {
    let plain: String
    if !xml.isEmpty, Bool.random(using: &generator), let bytes = xml.randomElement(using: &generator) {
      plain = String(decoding: bytes, as: UTF8.self)
    } else {
      var graph = HostileGraph(generator)
      plain = String(decoding: graph.xml(), as: UTF8.self)
    }
    let body = plain.range(of: "<plist").map { String(plain[$0.lowerBound...]) } ?? plain
    var decorated = Self.decorate(body, &generator)
    let declares = Int.random(in: 0..<4, using: &generator) == 0
    decorated = Self.documentType(declares: declares, &generator) + decorated
    if Bool.random(using: &generator) { decorated = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + decorated }
    let mark: [UInt8] = Bool.random(using: &generator) ? [0xef, 0xbb, 0xbf] : []
    let expected = Result { try self.decodeXML(Data(body.utf8)) }
    let found = Result { try self.decodeXML(Data(mark) + Data(decorated.utf8)) }
    if declares {
      precondition((found.error as? ArchiveError)?.code == .damaged, "a document type with declarations was read")
    } else {
      precondition(expected.outcome == found.outcome, "comments and marks made a difference")
    }
    _ = try found.get()
  }

  private func decodeXML(_ data: Data) throws -> String {
    let texts = try Archive.decodeKeyed([XMLText].self, from: data, allowing: Self.texts, limits: limits)
    return texts.map(\.text).joined(separator: "\u{0}")
  }

  /// Anything that has a text or a title.
  private struct XMLText: Decodable, Sendable {
    let text: String

    init(from decoder: any Decoder) throws {
      if let text = try? decoder.singleValueContainer().decode(String.self) {
        self.text = text
      } else {
        text = try decoder.container(keyedBy: EncodedGraph.Key.self).decode(String.self, forKey: .init("Title"))
      }
    }
  }

  private static let texts: [String: KeyedClass] = ["LarderArchiveTests.OldCreature": .codable(XMLText.self)]

  /// Puts comments and instructions between tags: within texts they count as nothing too.
  private static func decorate(_ text: String, _ generator: inout SplitMix64) -> String {
    let extras = ["<!-- > & ]]> <dict> -->", "<?target > data?>", "<!---->"]
    var result = ""
    var last: Character?
    for character in text {
      if character == "<", last == ">", Int.random(in: 0..<8, using: &generator) == 0 {
        result += extras.randomElement(using: &generator) ?? ""
      }
      result.append(character)
      last = character
    }
    return result
  }

  private static func documentType(declares: Bool, _ generator: inout SplitMix64) -> String {
    if declares {
      return [
        "<!DOCTYPE plist [<!ENTITY a \"b\">]>",
        "<!DOCTYPE plist SYSTEM \"file:///etc/passwd\" [<!ENTITY % a SYSTEM \"b\"> %a;]>",
        "<!DOCTYPE plist [<!ENTITY a \"&b;&b;\"><!ENTITY b \"&c;&c;\">]>", "<!DOCTYPE plist[]>",
      ].randomElement(using: &generator) ?? ""
    }
    return [
      "", "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">",
      "<!DOCTYPE plist SYSTEM \"file:///etc/passwd\">",
    ].randomElement(using: &generator) ?? ""
  }
}

extension Result where Success == String {
  fileprivate var error: Failure? { if case .failure(let error) = self { error } else { nil } }

  /// The value, or the code of the error.
  fileprivate var outcome: String {
    switch self {
    case .success(let value): "value " + value
    case .failure(let error): (error as? ArchiveError).map { "error \($0.code)" } ?? "error \(error)"
    }
  }
}
