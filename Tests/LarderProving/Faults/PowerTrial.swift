import Foundation
import LarderTestSupport

/// The record of a scenario's work, which can be cut at every point.
struct PowerTrial: Sendable {
  /// A cut: before which event, and what becomes of what was not synced.
  struct Cut: Sendable, Hashable {
    var position: Int
    var fate: PowerDisk.Fate
    var seed: UInt64
  }

  let scenario: PowerScenario
  private let folder: URL
  /// Where copies of what the cuts leave are kept.
  var kept: URL?
  private let events: [FileEvent]
  private let states: [[String]]
  /// The disk before the work.
  private let disk: PowerDisk

  /// Does the work once and records it.
  init(_ scenario: PowerScenario, in folder: URL) async throws {
    self.scenario = scenario
    self.folder = folder
    try FaultVFS.register()
    let place = FaultPlace(folder: folder.appending(component: "work", directoryHint: .isDirectory))
    try FileManager.default.createDirectory(at: place.folder, withIntermediateDirectories: true)
    try await scenario.prepare(place)
    disk = try PowerDisk(place.folder)
    FaultVFS.confine(to: place.folder)
    var states: [[String]] = []
    events = try await FaultVFS.recording { states = try await scenario.work(place) { FaultVFS.mark($0) } }
    self.states = states
  }

  /// How many points there are to cut at.
  var positions: Int { events.count + 1 }

  /// Cuts, and returns what is wrong with what is left.
  func run(_ cut: Cut) async throws -> [String] {
    var disk = disk
    var acknowledged: Int?
    for event in events.prefix(cut.position) {
      disk.apply(event)
      if case .mark(let number) = event { acknowledged = number }
    }
    return try await examine(disk, acknowledged, cut)
  }

  /// Runs several cuts in the order of their positions, which plays the record back once.
  func run(_ cuts: [Cut], _ body: (Cut, [String]) -> Bool) async throws {
    var disk = disk
    var acknowledged: Int?
    var position = 0
    for cut in cuts.sorted(by: { $0.position < $1.position }) {
      while position < cut.position {
        disk.apply(events[position])
        if case .mark(let number) = events[position] { acknowledged = number }
        position += 1
      }
      guard body(cut, try await examine(disk, acknowledged, cut)) else { return }
    }
  }

  private func examine(_ disk: PowerDisk, _ acknowledged: Int?, _ cut: Cut) async throws -> [String] {
    // A folder of its own: the store of the cut before may be closing still.
    let place = FaultPlace(
      folder: folder.appending(component: "cut-\(cut.position)-\(cut.fate)", directoryHint: .isDirectory))
    defer { try? FileManager.default.removeItem(at: place.folder) }
    var random = SplitMix64(seed: cut.seed)
    try disk.cut(cut.fate, &random, to: place.folder)
    if let kept {
      try FileManager.default.copyItem(
        at: place.folder, to: kept.appending(component: "cut-\(cut.position)-\(cut.fate)"))
    }
    do {
      var (state, problems) = try await scenario.examine(place)
      problems += try FaultInspection.integrity(place.store)
      if let problem = judge(state, acknowledged) { problems.append(problem) }
      return problems
    } catch {
      return ["what the cut has left cannot be used: \(error)"]
    }
  }

  /// What is wrong with a state; nil if it is one that the cut may leave.
  private func judge(_ state: [String], _ acknowledged: Int?) -> String? {
    guard let found = states.firstIndex(of: state) else { return "what the cut has left is no state that ever was" }
    let least = acknowledged ?? 0
    if found > least + 1 { return "the state after step \(found) is there although step \(least + 1) had not returned" }
    if found < least, !scenario.maySkipLast {
      return "step \(least) was acknowledged, and the state is that after step \(found)"
    }
    return nil
  }
}
