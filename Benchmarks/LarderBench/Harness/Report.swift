/// The figures of a run, to be printed and to be written.
struct Report {
  let workload: Workload
  let cases: [BenchmarkCase]
  let repetitions: Int
  /// Where the orders came from.
  let source: String
  /// What to type to get these figures again.
  let command: String
  let machine: Machine
  let samples: [BenchmarkCase: [ContenderName: Sample]]
  let memory: [BenchmarkCase: [ContenderName: PeakMemory.Runs]]
  let relationships: [RelationshipCase]
  let relationshipSamples: [RelationshipCase: [ContenderName: Sample]]

  /// The ratio of medians to raw C.
  func ratio(
    _ contender: ContenderName, in benchmark: RelationshipCase, of time: KeyPath<Measurement, Double> = \.elapsed
  ) -> Double? {
    guard let sample = relationshipSamples[benchmark]?[contender], let rawC = relationshipSamples[benchmark]?[.rawC]
    else { return nil }
    return sample.median(of: time) / rawC.median(of: time)
  }

  /// Larder's ratios to raw C, of neighbouring turns.
  func larderRatios(in benchmark: RelationshipCase) -> Ratios {
    guard let sample = relationshipSamples[benchmark]?[.larder], let rawC = relationshipSamples[benchmark]?[.rawC]
    else { return Ratios() }
    return sample.ratios(to: rawC)
  }

  /// Larder's ratio to the yardstick of a case's goal.
  func ratioToGoal(in benchmark: RelationshipCase) -> Double? {
    guard let (contender, yardstick) = benchmark.goal?.yardstick else { return nil }
    guard let sample = relationshipSamples[benchmark]?[.larder], let other = relationshipSamples[yardstick]?[contender]
    else { return nil }
    return sample.ratios(to: other).time?.value
  }

  /// The ratio to raw C: for Larder that of neighbouring turns, for those who have fewer turns that of the medians of the
  /// same time.
  func ratio(_ contender: ContenderName, in benchmark: BenchmarkCase) -> Double? {
    let own = larderRatios(in: benchmark)
    if contender == .larder { return own.time?.value }
    return ratio(contender, in: benchmark, of: own.isOfProcessorTime ? \.processor : \.elapsed)
  }

  /// The ratio of medians to raw C.
  func ratio(
    _ contender: ContenderName, in benchmark: BenchmarkCase, of time: KeyPath<Measurement, Double>
  ) -> Double? {
    guard let sample = samples[benchmark]?[contender], let rawC = samples[benchmark]?[.rawC] else { return nil }
    return sample.median(of: time) / rawC.median(of: time)
  }

  /// Larder's ratios to raw C: of neighbouring turns, and of the peak memory of processes that do only this.
  func larderRatios(in benchmark: BenchmarkCase) -> Ratios {
    guard let sample = samples[benchmark]?[.larder], let rawC = samples[benchmark]?[.rawC] else { return Ratios() }
    var ratios = sample.ratios(to: rawC, isParallel: benchmark == .saveConcurrent)
    if let memory = memory[benchmark]?[.larder], let rawC = self.memory[benchmark]?[.rawC] {
      ratios.memory = Ratio(of: zip(memory.peaks, rawC.peaks).map { Double($0) / Double($1) })
    }
    return ratios
  }

  /// Larder's ratios by the names of the cases, to be compared with those of other runs.
  var ratios: [String: Ratios] {
    var ratios: [String: Ratios] = [:]
    for benchmark in cases { ratios[benchmark.rawValue] = larderRatios(in: benchmark) }
    for benchmark in relationships { ratios[benchmark.rawValue] = larderRatios(in: benchmark) }
    return ratios.filter { $0.value != Ratios() }
  }

  /// The ratio of the whole process's peak memory to raw C.
  func memoryRatio(_ contender: ContenderName, in benchmark: BenchmarkCase) -> Double? {
    guard let memory = memory[benchmark]?[contender], let rawC = self.memory[benchmark]?[.rawC] else { return nil }
    return Double(memory.peak) / Double(rawC.peak)
  }
}
