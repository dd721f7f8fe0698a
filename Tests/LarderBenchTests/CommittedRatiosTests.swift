import Testing

@testable import LarderBench

@Suite("Committed ratios")
struct CommittedRatiosTests {
  private let machine = Machine.Kind(description: "a machine")

  private func ratio(_ value: Double) -> Ratio { Ratio(value: value, noise: 0.01) }

  private func comparison(of ratios: Ratios, with earlier: Ratios) -> String {
    var committed = CommittedRatios()
    committed.take(["find": earlier], of: machine)
    return committed.comparison(with: ["find": ratios], of: machine)
  }

  @Test("a ratio that has moved by more than the noise of both runs is named")
  func moved() {
    let lines = comparison(of: Ratios(elapsed: ratio(1.2)), with: Ratios(elapsed: ratio(1.1)))
    #expect(lines == "find takes more time, 1.20 ± 0.01, committed 1.10 ± 0.01")
  }

  @Test("a ratio within the noise has not moved")
  func unmoved() {
    let lines = comparison(of: Ratios(elapsed: ratio(1.115)), with: Ratios(elapsed: ratio(1.1)))
    #expect(lines == "Of 1 committed cases, none has moved by more than the noise.")
  }

  @Test("a run on a busy machine is compared by processor time, which quiet runs commit too")
  func busy() {
    let quiet = Ratios(elapsed: ratio(1), processor: ratio(1.1))
    let busy = Ratios(processor: ratio(1.3))
    #expect(comparison(of: busy, with: quiet) == "find takes more processor time, 1.30 ± 0.01, committed 1.10 ± 0.01")
    #expect(comparison(of: quiet, with: busy) == "find takes less processor time, 1.10 ± 0.01, committed 1.30 ± 0.01")
  }

  @Test("processor time is not compared if both runs have the time that passed")
  func quiet() {
    let lines = comparison(
      of: Ratios(elapsed: ratio(1), processor: ratio(1.3)), with: Ratios(elapsed: ratio(1), processor: ratio(1.1)))
    #expect(lines == "Of 1 committed cases, none has moved by more than the noise.")
  }

  @Test("ratios of different times don't count as unmoved")
  func incomparable() {
    let lines = comparison(of: Ratios(processor: ratio(1)), with: Ratios(elapsed: ratio(1)))
    #expect(lines.contains("find can't be compared"))
    #expect(lines.contains("Of 0 committed cases"))
  }

  @Test("peak memory is compared beside the time")
  func memory() {
    let lines = comparison(
      of: Ratios(elapsed: ratio(1), memory: ratio(1.3)), with: Ratios(elapsed: ratio(1), memory: ratio(1.2)))
    #expect(lines == "find takes more peak memory, 1.30 ± 0.01, committed 1.20 ± 0.01")
  }

  @Test("a case that isn't committed is named")
  func new() {
    var committed = CommittedRatios()
    committed.take(["find": Ratios(elapsed: ratio(1))], of: machine)
    let lines = committed.comparison(with: ["select": Ratios(elapsed: ratio(1))], of: machine)
    #expect(lines.contains("select isn't committed yet"))
  }

  @Test("a commit keeps the kinds that the run couldn't measure")
  func commit() {
    var committed = CommittedRatios()
    committed.take(["find": Ratios(elapsed: ratio(1), processor: ratio(1), memory: ratio(1.2))], of: machine)
    committed.take(["find": Ratios(processor: ratio(1.1))], of: machine)
    let lines = committed.comparison(
      with: ["find": Ratios(elapsed: ratio(1), processor: ratio(1.1), memory: ratio(1.2))], of: machine)
    #expect(lines == "Of 1 committed cases, none has moved by more than the noise.")
  }
}
