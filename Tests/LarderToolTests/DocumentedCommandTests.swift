import ArgumentParser
import Foundation
import Testing

@testable import LarderTool

/// The commands that the documents show.
@Suite("larder: documented commands")
struct DocumentedCommandTests {
  private static let root = URL(filePath: #filePath).appending(path: "../../..").standardized
  private static let names = [
    "README.md", "Sources/Larder/Documentation.docc/LookingIntoFiles.md",
  ]

  /// The command lines of a text, each in its words.
  private static func commands(in text: String) -> [[String]] {
    text.split(separator: "\n").compactMap { line in
      let line = line.trimmingCharacters(in: .whitespaces)
      let command = line.hasPrefix("$ ") ? String(line.dropFirst(2)) : line
      return command.hasPrefix("larder ") ? words(of: command) : nil
    }
  }

  /// The words of a command line, as a shell reads those that have quotation marks.
  private static func words(of command: String) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    for character in command {
      if character == quote {
        quote = nil
      } else if quote == nil, character == "'" || character == "\"" {
        quote = character
        word = word ?? ""
      } else if quote == nil, character == " " {
        if let ended = word { words.append(ended) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    return words + [word].compactMap(\.self)
  }

  @Test("every command of README and the articles is one that larder understands", arguments: names)
  func commands(_ name: String) throws {
    let text = try String(contentsOf: Self.root.appending(path: name), encoding: .utf8)
    for words in Self.commands(in: text) {
      #expect(throws: Never.self, "\(name): \(words.joined(separator: " "))") {
        try LarderTool.parseAsRoot(Array(words.dropFirst()))
      }
    }
    #expect(Self.commands(in: text).count > 3)
  }

  @Test("every example of the help is one that larder understands")
  func examples() throws {
    var pending: [any ParsableCommand.Type] = [LarderTool.self]
    var count = 0
    while let command = pending.popLast() {
      pending += command.configuration.subcommands
      for line in Self.commands(in: command.configuration.discussion) {
        for part in line.split(whereSeparator: { ["&&", "||", "|", ";"].contains($0) }) where part.first == "larder" {
          count += 1
          #expect(throws: Never.self, "\(part.joined(separator: " "))") {
            try LarderTool.parseAsRoot(Array(part.dropFirst()))
          }
        }
      }
    }
    #expect(count > 15)
  }
}
