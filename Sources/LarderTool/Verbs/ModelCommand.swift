import ArgumentParser
import Foundation
import Larder

struct ModelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "model", abstract: "Writes Swift source of models that open a file as it is.",
    discussion: """
      EXAMPLES
        larder model northwind.db --output Models.swift
      """)

  @OptionGroup var source: StoreFile
  @Option(help: "The file to write; without it, standard output.", completion: .file())
  var output: String?

  func run() async throws {
    try await source.reading().closing { store in
      let text = ModelSource(try await store.tables).text
      let output = try Output(output, reading: source.file)
      try output.write(output.isTerminal ? DisplayText.escaped(text, keepsLines: true) : text)
      try output.finish()
    }
  }
}
