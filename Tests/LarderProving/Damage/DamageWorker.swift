public import Foundation
import LarderTestSupport

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
      var probe = DamageProbe(path: path, all[number])
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
  private struct Files {
    let file: [UInt8]
    let logged: [UInt8]
    let log: [UInt8]
  }

  private let files: [DamageStore: Files]

  init(_ folder: URL) throws {
    var files: [DamageStore: Files] = [:]
    for store in DamageStore.allCases {
      let logged = store.logged(in: folder)
      let log = URL(filePath: logged.path(percentEncoded: false) + "-wal")
      files[store] = Files(
        file: Array(try Data(contentsOf: store.file(in: folder))), logged: Array(try Data(contentsOf: logged)),
        log: Array(try Data(contentsOf: log)))
    }
    self.files = files
  }

  func size(_ store: DamageStore, _ target: DamageCase.Target) -> Int {
    (target == .file ? files[store]?.file : files[store]?.log)?.count ?? 0
  }

  /// All cases: changes, what is cut off beside boundaries, the small store last, and then the small store cut off at
  /// every other length, and the large one at some.
  func cases(seed: UInt64) -> [DamageCase] {
    var random = SplitMix64(seed: seed)
    let cuts = cuts(seed)
    return DamageCase.changes(file: size(.large, .file), log: size(.large, .log), seed: seed)
      + cuts.flatMap(\.boundaries) + cuts.flatMap(\.others).shuffled(using: &random)
  }

  /// The cases in which the small store or its log is cut off beside a boundary, and so many at other lengths.
  func cutsOfSmallStore(_ count: Int, seed: UInt64) -> Range<Int> {
    let cuts = cuts(seed)
    let end = cases(seed: seed).count - cuts.reduce(0) { $0 + $1.others.count }
    return end - cuts.suffix(2).reduce(0) { $0 + $1.boundaries.count }..<end + count
  }

  private func cuts(_ seed: UInt64) -> [(boundaries: [DamageCase], others: [DamageCase])] {
    DamageStore.allCases.flatMap { store in
      [DamageCase.Target.file, .log].map { target in
        let cuts = DamageCase.truncations(store, target, size: size(store, target), seed: seed)
        return (cuts.boundaries, store == .small ? cuts.others : Array(cuts.others.prefix(Self.samples)))
      }
    }
  }

  /// How many lengths within pages of the large store are tried.
  private static let samples = 60

  func write(_ damage: DamageCase, to path: String) throws {
    guard let files = files[damage.store] else { return }
    switch damage.target {
    case .file: try Data(damage.applied(to: files.file)).write(to: URL(filePath: path))
    case .log:
      try Data(files.logged).write(to: URL(filePath: path))
      try Data(damage.applied(to: files.log)).write(to: URL(filePath: path + "-wal"))
    }
  }
}
