import ArgumentParser
import Foundation
import Larder
import LarderStudio

struct StudioCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "studio", abstract: "Opens a file in the browser: tables, rows, relationships, SQL.",
    discussion: """
      The page is served on this machine alone, under an address with a secret. Without --write nothing can be changed.

      EXAMPLES
        larder studio notes.larder
        larder studio notes.larder --write --port 8080 --no-open
      """)

  @OptionGroup var source: StoreFile
  @Option(help: "The port; by default one that is free.")
  var port = 0
  @Flag(help: "Allow changes.")
  var write = false
  @Flag(inversion: .prefixedNo, help: "Open the page in the browser.")
  var open = true
  @Flag(help: "Print JSON, in one line.")
  var json = false

  func validate() throws {
    guard (0...65_535).contains(port) else { throw ValidationError("A port is a number from 0 to 65535.") }
  }

  func run() async throws {
    // What is wrong with the file is said here, before a page opens.
    try await source.reading().closing { _ in }
    let (opens, printsJSON, isWritable) = (open, json, write)
    let studio = Studio(file: source.file, port: port, isWritable: isWritable)
    try await studio.run { address in
      var line = "Studio: \(address)"
      let value = DocumentValue.record(["address": .text(address), "isWritable": .bool(isWritable)])
      if printsJSON, let json = try? JSONText.line(value) { line = json }
      // Written at once even into a pipe, so that a script can wait for it.
      FileHandle.standardOutput.write(Data("\(line)\n".utf8))
      if opens { Self.show(address.replacing(studio.addressQuery, with: studio.invitationQuery)) }
    }
  }

  private static func show(_ address: String) {
    #if os(macOS)
    let command = "open"
    #else
    let command = "xdg-open"
    #endif
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [command, address]
    (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
    // Without a browser, the address stands in the terminal.
    try? process.run()
  }
}
