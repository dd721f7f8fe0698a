import Foundation
import Larder
import Synchronization

/// The files that every trial of a scenario begins with, and the states that its steps can lead to.
final class FaultTemplate: Sendable {
  let scenario: FaultScenario
  private let folder: URL
  private let states = Mutex<[Int: [String]]>([:])
  private let number = Atomic<Int>(0)

  /// Makes the files below the folder.
  init(_ scenario: FaultScenario, in folder: URL) async throws {
    self.scenario = scenario
    self.folder = folder
    let origin = FaultPlace(folder: folder.appending(component: "origin", directoryHint: .isDirectory))
    try FileManager.default.createDirectory(at: origin.folder, withIntermediateDirectories: true)
    try await scenario.prepare(origin)
    if scenario.leavesLog {
      let store = try Store(at: origin.store, for: FaultBook.self, FaultProbe.self)
      try await store.insert(FaultSample.books(30...40))
      try FileManager.default.copyItem(at: origin.folder, to: template)
      withExtendedLifetime(store) {}
    } else {
      try FileManager.default.moveItem(at: origin.folder, to: template)
    }
  }

  private var template: URL { folder.appending(component: "template", directoryHint: .isDirectory) }

  /// A new copy of the files.
  func copy() throws -> FaultPlace {
    let number = number.add(1, ordering: .relaxed).newValue
    let folder = folder.appending(component: "trial-\(number)", directoryHint: .isDirectory)
    try FileManager.default.copyItem(at: template, to: folder)
    return FaultPlace(folder: folder)
  }

  func remove(_ place: FaultPlace) {
    // What stays is removed with the folder of the run.
    try? FileManager.default.removeItem(at: place.folder)
  }

  /// The state after the steps of the set, without any fault.
  ///
  /// - Parameter steps: A bit for each step.
  func state(after steps: Int) async throws -> [String] {
    if let state = states.withLock({ $0[steps] }) { return state }
    let place = try copy()
    defer { remove(place) }
    if scenario.phase != .opening || steps != 0 {
      let store = try scenario.open(place)
      if scenario.phase != .opening {
        for (position, step) in scenario.steps.enumerated() where steps & 1 << position != 0 {
          try await step.perform(place, store)
        }
      }
    }
    let state = try FaultInspection.dump(place.store)
    states.withLock { $0[steps] = state }
    return state
  }

  /// The steps whose effects the state has, at least those that were acknowledged; nil if it is no state that they
  /// could have led to.
  func steps(in state: [String], acknowledged: Int) async throws -> Int? {
    let all = 0..<(1 << scenario.steps.count)
    for steps in all.filter({ $0 & acknowledged == acknowledged }).sorted(by: {
      ($0.nonzeroBitCount, $0) < ($1.nonzeroBitCount, $1)
    }) {
      if try await self.state(after: steps) == state { return steps }
    }
    return nil
  }

  /// The first lines by which a state differs from the one that was acknowledged.
  func difference(of state: [String], acknowledged: Int) async throws -> String {
    let expected = try await self.state(after: acknowledged)
    let lines = state.difference(from: expected).prefix(4).map { change in
      switch change {
      case .insert(_, let line, _): "+ \(line.prefix(120))"
      case .remove(_, let line, _): "- \(line.prefix(120))"
      }
    }
    return lines.joined(separator: "; ")
  }
}
