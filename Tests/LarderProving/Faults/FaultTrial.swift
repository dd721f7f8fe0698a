import Foundation
import Larder
import LarderSync

/// Runs a scenario's steps while one call fails, and compares what came of it with what may come of it.
struct FaultTrial: Sendable {
  let template: FaultTemplate
  let injector: any FaultInjector

  private var scenario: FaultScenario { template.scenario }

  /// Fails the n-th call.
  func run(at number: Int) async throws -> FaultOutcome {
    var place = try template.copy()
    defer { template.remove(place) }
    place.disarm = { [injector] in injector.disarm() }
    var outcome = FaultOutcome(number: number)
    do {
      switch scenario.phase {
      case .working: try await work(place, &outcome)
      case .opening: try await open(place, &outcome)
      case .closing: try await close(place, &outcome)
      }
    } catch {
      injector.disarm()
      outcome.problems.append("with the fault gone: \(error)")
    }
    return outcome
  }

  // MARK: Phases

  private func work(_ place: FaultPlace, _ outcome: inout FaultOutcome) async throws {
    let (state, acknowledged) = try await use(place, &outcome)
    try await reopen(place, state, acknowledged, &outcome)
  }

  /// Opens the store, performs the steps, uses it again and closes it.
  private func use(
    _ place: FaultPlace, _ outcome: inout FaultOutcome
  ) async throws -> (state: [String]?, acknowledged: Int) {
    let store = try scenario.open(place)
    injector.arm(at: outcome.number, below: place.folder)
    let ends = await perform(place, store)
    disarm(&outcome)
    let acknowledged = judge(ends, &outcome)
    return (try await goOn(store, acknowledged, &outcome), acknowledged)
  }

  private func close(_ place: FaultPlace, _ outcome: inout FaultOutcome) async throws {
    let acknowledged = try await beginClosing(place, &outcome)
    disarm(&outcome)
    try await reopen(place, nil, acknowledged, &outcome)
  }

  /// Performs the steps, and closes the store while a call fails.
  private func beginClosing(_ place: FaultPlace, _ outcome: inout FaultOutcome) async throws -> Int {
    let store = try scenario.open(place)
    let ends = await perform(place, store)
    let acknowledged = judge(ends, &outcome)
    injector.arm(at: outcome.number, below: place.folder)
    await store.close()
    return acknowledged
  }

  private func open(_ place: FaultPlace, _ outcome: inout FaultOutcome) async throws {
    if let state = try await openAndUse(place, &outcome) { return try await reopen(place, state, 1, &outcome) }
    guard outcome.ends != ["ok"] else { return }
    // A file that could not be opened is as it was, or wholly changed.
    let copy = FaultPlace(folder: place.folder.appending(component: "copy", directoryHint: .isDirectory))
    try FileManager.default.createDirectory(at: copy.folder, withIntermediateDirectories: false)
    let names = try FileManager.default.contentsOfDirectory(atPath: place.folder.path(percentEncoded: false))
    for name in names where name.hasPrefix("test.larder") && !name.hasSuffix("-shm") {
      try FileManager.default.copyItem(at: place.file(name), to: copy.file(name))
    }
    let state = try FaultInspection.dump(copy.store)
    try await compare(state, 0, "after opening failed", &outcome)
    try await reopen(place, nil, 1, &outcome)
  }

  /// Opens the store while a call fails, uses it without faults and closes it; nil if it could not be opened or used.
  private func openAndUse(_ place: FaultPlace, _ outcome: inout FaultOutcome) async throws -> [String]? {
    injector.arm(at: outcome.number, below: place.folder)
    let opening = Result { try scenario.open(place) }
    disarm(&outcome)
    let acknowledged = judge([opening.map { _ in () }], &outcome)
    guard case .success(let store) = opening else { return nil }
    return try await goOn(store, acknowledged, &outcome)
  }

  // MARK: Steps

  private func perform(_ place: FaultPlace, _ store: Store) async -> [Result<Void, any Error>] {
    func end(of step: FaultScenario.Step) async -> Result<Void, any Error> {
      do {
        return .success(try await step.perform(place, store))
      } catch {
        return .failure(error)
      }
    }
    guard scenario.isConcurrent else {
      var ends: [Result<Void, any Error>] = []
      for step in scenario.steps { ends.append(await end(of: step)) }
      return ends
    }
    return await withTaskGroup(of: (Int, Result<Void, any Error>).self) { group in
      for (position, step) in scenario.steps.enumerated() { group.addTask { (position, await end(of: step)) } }
      return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  private func disarm(_ outcome: inout FaultOutcome) {
    injector.disarm()
    outcome.calls = injector.calls
    outcome.failures = injector.failures
    outcome.call = injector.firstFailure
  }

  /// Looks at the errors, and returns a bit for each step that was acknowledged.
  private func judge(_ ends: [Result<Void, any Error>], _ outcome: inout FaultOutcome) -> Int {
    var acknowledged = 0
    let codes: Set<StoreError.Code> = scenario.codes.union(injector.codes).union([
      .inputOutput, .diskFull, .readOnly, .busy,
    ])
    for (position, (step, end)) in zip(scenario.steps, ends).enumerated() {
      switch end {
      case .success:
        acknowledged |= 1 << position
        outcome.ends.append("ok")
      case .failure(let error):
        outcome.ends.append((error as? StoreError).map { "\($0.code)" } ?? "\(type(of: error))")
        if error is FaultRefusal {
          // The closure's own.
          outcome.expect(outcome.failures > 0, "\(step.name): the closure threw without a fault")
        } else if error is WrongAnswer {
          outcome.expect(false, "\(step.name): \(error)")
        } else {
          outcome.expect(outcome.failures > 0, "\(step.name) threw without a fault: \(error)")
          outcome.expect(
            (error as? StoreError).map { codes.contains($0.code) } ?? ((error as? BatchError)?.code == .inputOutput),
            "\(step.name) threw another error: \(error)")
        }
      }
    }
    return acknowledged
  }

  // MARK: Afterwards

  /// Uses the same store with the fault gone, and returns the state that it shows.
  private func goOn(_ store: Store, _ acknowledged: Int, _ outcome: inout FaultOutcome) async throws -> [String]? {
    do {
      let state = try FaultInspection.dump(store)
      try await compare(state, acknowledged, "in the same store", &outcome)
      try await store.save(FaultProbe(id: 1))
      try store.blocking.write { db in try db.insert([FaultProbe(id: 2), FaultProbe(id: 3)]) }
      try await store.insert(FaultProbe(id: 4))
      outcome.expect(
        try await store.count(FaultProbe.all) == 4, "the same store does not find what it wrote after the fault")
      outcome.expect(
        try await store.read { try $0.count(FaultProbe.all) } == 4,
        "a snapshot does not hold what was written after the fault")
      let later = try FaultInspection.dump(store)
      outcome.expect(later == state, "what the same store shows changed after a later write")
      return later
    } catch {
      let later = await comesBack(store)
      outcome.expect(false, "the same store does not go on: \(error); \(later)")
      return nil
    }
  }

  /// Says whether a store that threw once more works after that.
  private func comesBack(_ store: Store) async -> String {
    for attempt in 1...3 {
      do {
        try await store.save(FaultProbe(id: 10 + attempt))
        return "\(attempt == 1 ? "the next save succeeds" : "save \(attempt) after that succeeds")"
      } catch {
        continue
      }
    }
    return "nor after three more saves"
  }

  /// Opens the file again and looks at all of it.
  private func reopen(
    _ place: FaultPlace, _ shown: [String]?, _ acknowledged: Int, _ outcome: inout FaultOutcome
  ) async throws {
    do {
      let store = try scenario.open(place)
      outcome.checks += 1
      outcome.problems += try FaultInspection.check(store).map { "after reopening: \($0)" }
      let count = try await store.count(FaultProbe.all)
      outcome.expect(
        shown == nil || count == 4, "after reopening, \(count) of the 4 rows that were saved after the fault are there")
    } catch {
      outcome.expect(false, "the file cannot be used again: \(error)")
    }
    let state = try FaultInspection.dump(place.store)
    if let shown {
      outcome.expect(state == shown, "the file holds another state than the store showed last")
    } else {
      try await compare(state, acknowledged, "after reopening", &outcome)
    }
    outcome.checks += 1
    outcome.problems += try FaultInspection.integrity(place.store)
    let done = scenario.steps.indices.filter { acknowledged & 1 << $0 != 0 }.map { scenario.steps[$0].name }
    outcome.checks += 1
    var place = place
    place.keepsFiles = injector.keepsFiles
    outcome.problems += try await scenario.inspect(place, Set(outcome.ends.contains("ok") ? done : []))
  }

  private func compare(
    _ state: [String], _ acknowledged: Int, _ moment: String, _ outcome: inout FaultOutcome
  ) async throws {
    let found = try await template.steps(in: state, acknowledged: acknowledged)
    guard let found else {
      let difference = try await template.difference(of: state, acknowledged: acknowledged)
      return outcome.expect(
        false, "\(moment): neither what was acknowledged nor that and another whole step (\(difference))")
    }
    outcome.checks += 1
    outcome.kept += (found & ~acknowledged).nonzeroBitCount
  }
}
