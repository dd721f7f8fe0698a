import Foundation
public import Hummingbird
public import Larder
import Logging
import NIOCore

/// A data browser for any store: a page on this machine, for whoever has its address.
///
/// ```swift
/// try await Studio(file: "notes.larder").run()
/// ```
///
/// The address contains a token, without which no request is answered. Unless the studio is writable, the server refuses
/// to write.
public struct Studio: Sendable {
  private enum Source: Sendable {
    case file(String)
    case store(Store, name: String)
  }

  private let source: Source
  private let port: Int
  private let isWritable: Bool
  private let home: Link?
  private let pending: PendingChanges
  let token: AccessToken

  /// Creates a browser for a file. ``run(whenReady:)`` opens it.
  ///
  /// - Parameters:
  ///   - file: The path of a file of Larder's, or of any SQLite database.
  ///   - port: The port to listen on; 0 takes any free one.
  ///   - isWritable: Whether rows can be changed.
  ///   - plan: Returns what opening the file with the program's models would change in it, for the page to show:
  ///     `Store.plan(at:for:configuration:)`. Without it, the page says that only the file is known.
  public init(
    file: String, port: Int = 0, isWritable: Bool = false, plan: (@Sendable () throws -> MigrationPlan)? = nil
  ) {
    source = .file(file)
    self.port = port
    self.isWritable = isWritable
    home = nil
    pending = plan.map { .planned($0) } ?? .unknown
    token = AccessToken()
  }

  /// Creates a browser for a store that the program has opened.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - name: What the page calls it.
  ///   - port: The port that ``run(whenReady:)`` listens on; 0 takes any free one.
  ///   - isWritable: Whether rows can be changed.
  ///   - home: The page that leads here, to which the studio's page links.
  ///   - plan: Returns what opening the file with the program's models would change in it, for the page to show:
  ///     `Store.plan(at:for:configuration:)`. Without it, the page says that the store's migrations ran when it was opened.
  public init(
    store: Store, name: String, port: Int = 0, isWritable: Bool = false, home: Link? = nil,
    plan: (@Sendable () throws -> MigrationPlan)? = nil
  ) {
    source = .store(store, name: name)
    self.port = port
    self.isWritable = isWritable
    self.home = home
    pending = plan.map { .planned($0) } ?? .ran
    token = AccessToken()
  }

  /// The part of the page's address behind the path at which its routes are: `?token=…`.
  public var addressQuery: String { "?\(AccessToken.parameter)=\(token.text)" }

  /// What takes the place of ``addressQuery`` in the address for a program that opens a browser: `?invitation=…`. It lets
  /// one browser in, once, because any user of the machine can read the arguments of a program.
  public var invitationQuery: String { "?\(AccessToken.invitationParameter)=\(token.invitation)" }

  /// Adds the page and everything that it asks for to the router's root, which may be a group of another router.
  ///
  /// - Parameters:
  ///   - router: The router.
  ///   - access: Who refuses requests of strangers.
  /// - Throws: ``StoreError`` if the file can't be opened.
  public func addRoutes(to router: some RouterMethods<some RequestContext>, access: Access = .token) throws {
    // Each route's group starts with the checks.
    let root = router.group("").add(middleware: StudioHeaders()).add(middleware: RefusalMiddleware())
    if access == .token { root.add(middleware: AccessControl(token: token)) }
    try addUncheckedRoutes(to: root, access)
  }

  /// Adds the routes without what checks requests.
  private func addUncheckedRoutes(to root: some RouterMethods<some RequestContext>, _ access: Access) throws {
    let api = root.group("api")
    let file: OpenedFile? = if case .file(let path) = source { OpenedFile(path: path) } else { nil }
    if let file { api.add(middleware: SameFile(file: file)) }
    let library = try openLibrary()
    PageFiles(token: access == .token ? token : nil).addRoutes(to: root)
    TableRoutes(library: library).addRoutes(to: api)
    PendingRoutes(library: library).addRoutes(to: api)
    RowRoutes(library: library).addRoutes(to: api)
    ChangeRoutes(library: library).addRoutes(to: api)
    DocumentRoutes(library: library).addRoutes(to: api)
    AttachmentRoutes(library: library).addRoutes(to: api)
    EventRoutes(library: library, file: file).addRoutes(to: api)
    SQLRoutes(library: library).addRoutes(to: api)
  }

  /// Serves the page on this machine's own address until the task is cancelled or the process is told to end, and prints
  /// the page's address.
  ///
  /// - Throws: ``StoreError`` if the file can't be opened, and an error if the port is taken.
  public func run() async throws {
    try await run { Self.announce($0) }
  }

  /// Serves the page on this machine's own address until the task is cancelled or the process is told to end.
  ///
  /// - Parameter whenReady: Receives the page's address once the server listens.
  /// - Throws: ``StoreError`` if the file can't be opened, and an error if the port is taken.
  public func run(whenReady: @escaping @Sendable (_ address: String) async -> Void) async throws {
    let router = Router(options: .autoGenerateHeadEndpoints)
    // Of the router itself, so that they see what there is no route for.
    router.add(middleware: StudioHeaders()).add(middleware: RefusalMiddleware())
    router.add(middleware: AccessControl(token: token, page: "/"))
    try addUncheckedRoutes(to: router, .token)
    var logger = Logger(label: "studio")
    logger.logLevel = .error
    let query = addressQuery
    let application = Application(
      router: router,
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
      onServerRunning: { await whenReady("http://127.0.0.1:\($0.localAddress?.port ?? 0)/\(query)") },
      logger: logger)
    do {
      try await application.runService()
    } catch let error as IOError where error.errnoCode == EADDRINUSE {
      throw PortIsTaken(port: port)
    }
  }

  /// Prints the page's address at once, even into a pipe, so that a script can wait for it.
  private static func announce(_ address: String) {
    FileHandle.standardOutput.write(Data("Studio: \(address)\n".utf8))
  }

  private func openLibrary() throws -> Library {
    switch source {
    case .store(let store, let name):
      return Library(store: store, name: name, isWritable: isWritable, home: home, pending: pending)
    case .file(let file):
      let store = try Store(
        at: file,
        configuration: Store.Configuration(
          schema: .existing, access: isWritable ? .readWrite : .readOnly))
      return Library(
        store: store, name: URL(fileURLWithPath: file).lastPathComponent, isWritable: isWritable, home: home,
        pending: pending)
    }
  }
}

/// Another program listens there.
private struct PortIsTaken: Error, CustomStringConvertible {
  let port: Int
  var description: String { "Port \(port) is taken. Choose another one, or 0 for any free one." }
}
