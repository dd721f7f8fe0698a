public import Foundation

/// A process that tries cases of damage one after another, and says how each ended: a trap ends it alone.
public struct DamageWorker: Sendable {
  let folder: URL
  let seed: UInt64
  let cases: Range<Int>

  /// - Parameter cases: The numbers of the cases.
  public init(folder: URL, seed: UInt64, cases: Range<Int>) {
    self.folder = folder
    self.seed = seed
    self.cases = cases
  }

  public func run() throws {
    Self.limitMemory()
    let base = try DamageBase(folder)
    let all = base.cases(seed: seed)
    let place = folder.appending(component: "damaged-\(getpid())")
    defer { try? FileManager.default.removeItem(at: place) }
    for number in cases.clamped(to: all.indices) {
      ProvingProcess.say("case \(number)")
      try? FileManager.default.removeItem(at: place)
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      let path = place.appending(component: "damaged.larder").path(percentEncoded: false)
      try base.write(all[number], to: path)
      var probe = DamageProbe(path: path, target: all[number].target)
      probe.run()
      for failure in probe.failures {
        ProvingProcess.say("wrong \(number) \(failure.prefix(400).replacing("\n", with: " "))")
      }
      ProvingProcess.say("done \(number) \(probe.checks) \(probe.refusals)")
    }
  }

  /// What a damaged length asks for must not take the machine's memory.
  private static func limitMemory() {
    var limit = rlimit(rlim_cur: 4 << 30, rlim_max: 4 << 30)
    #if canImport(Glibc)
    setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    #else
    setrlimit(RLIMIT_AS, &limit)
    #endif
  }
}

/// The undamaged files.
struct DamageBase {
  private let file: [UInt8]
  private let logged: [UInt8]
  private let log: [UInt8]

  init(_ folder: URL) throws {
    file = Array(try Data(contentsOf: folder.appending(component: "base.larder")))
    logged = Array(try Data(contentsOf: folder.appending(component: "logged.larder")))
    log = Array(try Data(contentsOf: folder.appending(component: "logged.larder-wal")))
  }

  var pages: Int { file.count / DamageCase.pageSize }

  func cases(seed: UInt64) -> [DamageCase] {
    DamageCase.all(file: file.count, log: log.count, seed: seed)
  }

  func write(_ damage: DamageCase, to path: String) throws {
    switch damage.target {
    case .file: try Data(damage.applied(to: file)).write(to: URL(filePath: path))
    case .log:
      try Data(logged).write(to: URL(filePath: path))
      try Data(damage.applied(to: log)).write(to: URL(filePath: path + "-wal"))
    }
  }
}
