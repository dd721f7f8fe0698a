import ArgumentParser
import Creatures
import Devices
import ExampleWeb
import Foundation
import Hummingbird
import LarderStudio
import Ledger
import Logging
import NIOCore
import Notes

/// Serves the example apps to a browser on this machine.
@main
struct Showcase: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Serves Larder's example apps to a browser on this machine.",
    discussion: "Everything is kept in one folder and is there again after a restart. End it with Ctrl+C."
  )

  @Option(help: "The port; 0 takes any free one. Without it the environment's PORT counts, and then 8080.")
  var port: Int?

  @Option(
    help: """
      The address to listen on. With any but this machine's own, everyone on the network can use the apps: they ask \
      for no password.
      """
  )
  var host = "127.0.0.1"

  @Option(
    help: "The folder that keeps the data. (default: \(DataFolder.standard.path))",
    completion: .directory,
    transform: { URL(fileURLWithPath: $0, isDirectory: true) }
  )
  var data = DataFolder.standard

  func validate() throws {
    if let port, !(0...65535).contains(port) { throw ValidationError("A port is a number from 0 to 65535.") }
  }

  func run() async throws {
    try DataFolder.create(data)
    let notes = try NotesApp(folder: data.appending(path: "notes", directoryHint: .isDirectory))
    let ledger = try LedgerApp(folder: data.appending(path: "ledger", directoryHint: .isDirectory))
    let creatures = try CreaturesApp(folder: data.appending(path: "creatures", directoryHint: .isDirectory))
    let devices = try DevicesApp(folder: data.appending(path: "devices", directoryHint: .isDirectory))
    let documents = try DocumentsStore.open(in: data.appending(path: "documents", directoryHint: .isDirectory))
    let home = Studio.Link(title: "Two devices", address: "/devices/")
    let studios = StudioStores(
      [
        ("notes", notes.store, Studio.Link(title: "Notes", address: "/notes/")),
        ("ledger", ledger.store, Studio.Link(title: "Ledger", address: "/ledger/")),
        ("documents", documents, Studio.Link(title: "All examples", address: "/")),
      ] + devices.stores.map { ($0.key, $0.value, home) },
      isWritable: isForThisMachineAlone)

    let router = Router(options: .autoGenerateHeadEndpoints)
    router.add(middleware: SecurityHeaders())
    router.add(middleware: SameOriginOnly(host: host))
    PageFiles.shared.addRoutes(to: router)
    PageFiles.landing.addRoutes(to: router)
    notes.addRoutes(to: router.group("notes"))
    ledger.addRoutes(to: router.group("ledger"))
    creatures.addRoutes(to: router.group("creatures"))
    devices.addRoutes(to: router.group("devices"))
    try studios.addRoutes(to: router.group("studio"))

    var logger = Logger(label: "showcase")
    logger.logLevel = .error
    let application = Application(
      router: router,
      configuration: ApplicationConfiguration(address: .hostname(host, port: try chosenPort)),
      services: [notes, creatures],
      onServerRunning: { announce(port: $0.localAddress?.port) },
      logger: logger
    )
    do {
      try await application.runService()
    } catch let error as IOError where error.errnoCode == EADDRINUSE {
      throw PortIsTaken(port: try chosenPort)
    }
  }

  /// Studio's SQL may name files beside the stores, so the network only reads.
  private var isForThisMachineAlone: Bool { ["127.0.0.1", "::1", "localhost"].contains(host) }

  private var chosenPort: Int {
    get throws {
      if let port { return port }
      guard let text = ProcessInfo.processInfo.environment["PORT"] else { return 8080 }
      guard let port = Int(text), (0...65535).contains(port) else {
        throw ValidationError("PORT is not a number from 0 to 65535.")
      }
      return port
    }
  }

  /// One line, written at once even into a pipe, so that a script can wait for it.
  private func announce(port: Int?) {
    let address = host.contains(":") ? "[\(host)]" : host
    let line = "Larder showcase: http://\(address):\(port ?? 0)/ (data in \(data.path))\n"
    FileHandle.standardOutput.write(Data(line.utf8))
  }
}

/// Another program listens there.
private struct PortIsTaken: Error, CustomStringConvertible {
  let port: Int
  var description: String { "Port \(port) is taken. Choose another one with --port, or 0 for any free one." }
}
