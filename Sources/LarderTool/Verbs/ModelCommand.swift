import ArgumentParser
import Foundation
import Larder
import LarderSync

struct ModelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "model", abstract: "Writes Swift source of models that open a file as it is.",
    discussion: """
      With --json, the source is in one object with what it declares: each model with its table and properties.

      EXAMPLES
        larder model northwind.db --output Models.swift
        larder model northwind.db --json | jq -r '.models[].name'
      """)

  @OptionGroup var source: StoreFile
  @Option(help: "The file to write; without it, standard output.", completion: .file())
  var output: String?
  @Flag(help: "Print JSON.")
  var json = false

  func run() async throws {
    try await source.reading().closing { store in
      let models = ModelSource(try await store.tables, synced: try await store.sync.properties())
      let output = try Output(output, reading: source.file)
      if json {
        try output.write(JSONText.line(value(models)) + "\n")
      } else {
        try output.write(output.isTerminal ? DisplayText.escaped(models.text, keepsLines: true) : models.text)
      }
      try output.finish()
    }
  }

  private func value(_ source: ModelSource) -> DocumentValue {
    .record([
      "source": .text(source.text),
      "models": .array(
        source.models.map { table in
          .record([
            "name": .text(table.name), "table": .text(table.description.name),
            "properties": .array(
              table.model.properties.map { property in
                .record([
                  "name": .text(property.name), "type": .text(property.type),
                  "column": property.column.map { .text($0) },
                ])
              }),
          ])
        }),
    ])
  }
}
