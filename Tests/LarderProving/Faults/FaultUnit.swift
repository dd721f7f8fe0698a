import Foundation

/// A scenario with a way to fail: its cases are the numbers of the calls that fail first.
public struct FaultUnit: Sendable, Hashable {
  /// Where calls fail.
  public enum Layer: String, Sendable, CaseIterable {
    /// Between SQLite and the file system.
    case connections
    /// Between the process and the system.
    case system
  }

  public var scenario: String
  public var layer: Layer
  /// How calls fail, in the layer's words.
  public var failure: String
  /// Whether every later call fails too.
  public var persists: Bool

  public init(scenario: String, layer: Layer, failure: String, persists: Bool) {
    self.scenario = scenario
    self.layer = layer
    self.failure = failure
    self.persists = persists
  }

  /// The arguments of the command that runs it.
  var arguments: [String] {
    ["--scenario", scenario, "--layer", layer.rawValue, "--failure", failure] + (persists ? ["--persists"] : [])
  }

  var description: String {
    "\(scenario), \(failure)\(layer == .system ? " of the system" : "")\(persists ? " from then on" : "")"
  }

  /// All units: every scenario with every way to fail.
  public static let all: [FaultUnit] = FaultScenario.all.flatMap { scenario in
    Layer.allCases.flatMap { layer in
      layer == .system && !SystemFaults.scenarios.contains(scenario.name)
        ? []
        : failures(of: layer).flatMap { failure in
          // Who is interrupted for ever hangs, and SQLite waits ten seconds for each lock of shared memory that it
          // never gets.
          (["\(SystemFaults.Failure.interrupted)", "\(FaultVFS.Failure.busy)"].contains(failure)
            ? [false] : [false, true]).map {
              FaultUnit(scenario: scenario.name, layer: layer, failure: failure, persists: $0)
            }
        }
    }
  }

  private static func failures(of layer: Layer) -> [String] {
    switch layer {
    case .connections: FaultVFS.Failure.allCases.map { "\($0)" }
    case .system: SystemFaults.Failure.allCases.map { "\($0)" }
    }
  }

  /// Makes a trial, with files below the folder.
  ///
  /// - Parameter ownsProcess: Whether nothing else in this process uses SQLite, so that its temporary files can fail
  ///   too.
  func trial(in folder: URL, ownsProcess: Bool) async throws -> FaultTrial {
    guard let scenario = FaultScenario.all.first(where: { $0.name == scenario }) else {
      throw UnknownFault(name: scenario)
    }
    return FaultTrial(template: try await FaultTemplate(scenario, in: folder), injector: try makeInjector(ownsProcess))
  }

  private func makeInjector(_ ownsProcess: Bool) throws -> any FaultInjector {
    switch layer {
    case .connections:
      guard let kind = FaultVFS.Failure.allCases.first(where: { "\($0)" == failure }) else {
        throw UnknownFault(name: failure)
      }
      try FaultVFS.register()
      return ConnectionFaults(kind: kind, persists: persists, includesTemporaryFiles: ownsProcess)
    case .system:
      guard let kind = SystemFaults.Failure.allCases.first(where: { "\($0)" == failure }) else {
        throw UnknownFault(name: failure)
      }
      return try SystemFaults(kind: kind, persists: persists)
    }
  }
}

/// There is no scenario or failure with the name.
struct UnknownFault: Error, CustomStringConvertible {
  let name: String
  var description: String { "there is no \(name)" }
}
