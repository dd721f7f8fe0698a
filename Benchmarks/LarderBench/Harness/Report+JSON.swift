import Foundation

/// A key for each case, with the figures of each contender; what the run was made on is under `environment`.
extension Report: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    for benchmark in cases {
      var contenders = container.nestedContainer(keyedBy: Key.self, forKey: Key(stringValue: benchmark.rawValue))
      for contender in ContenderName.allCases {
        guard let sample = samples[benchmark]?[contender] else { continue }
        let memory = memory[benchmark]?[contender]
        let larder = contender == .larder ? larderRatios(in: benchmark) : nil
        let figures = Figures(
          median: sample.median(of: \.elapsed),
          ratio: contender == .rawC ? nil : ratio(contender, in: benchmark),
          noise: larder?.time?.noise,
          isOfProcessorTime: larder?.isOfProcessorTime,
          samples: sample.measurements.map(\.elapsed),
          processorMedian: sample.median(of: \.processor),
          processorRatio: contender == .rawC ? nil : ratio(contender, in: benchmark, of: \.processor),
          peakMemory: memory?.peak,
          memoryGrowth: memory?.growth,
          memoryOfFiles: memory?.ofFiles,
          memoryRatio: contender == .rawC ? nil : memoryRatio(contender, in: benchmark)
        )
        try contenders.encode(figures, forKey: Key(stringValue: contender.rawValue))
      }
    }
    for benchmark in relationships {
      var contenders = container.nestedContainer(keyedBy: Key.self, forKey: Key(stringValue: benchmark.rawValue))
      for (contender, sample) in relationshipSamples[benchmark] ?? [:] {
        let larder = contender == .larder ? larderRatios(in: benchmark) : nil
        let figures = Figures(
          median: sample.median(of: \.elapsed),
          ratio: contender == .rawC ? nil : larder?.time?.value ?? ratio(contender, in: benchmark),
          noise: larder?.time?.noise,
          isOfProcessorTime: larder?.isOfProcessorTime,
          samples: sample.measurements.map(\.elapsed),
          processorMedian: sample.median(of: \.processor),
          processorRatio: contender == .rawC ? nil : ratio(contender, in: benchmark, of: \.processor),
          peakMemory: nil,
          memoryGrowth: nil,
          memoryOfFiles: nil,
          memoryRatio: nil
        )
        try contenders.encode(figures, forKey: Key(stringValue: contender.rawValue))
      }
    }
    try container.encode(
      Environment(
        machine: machine, yardstick: Self.yardstick, repetitions: repetitions, orders: workload.orders.count,
        source: source, command: command),
      forKey: Key(stringValue: "environment")
    )
  }

  /// What raw C does.
  static let yardstick =
    "raw C: statements that are kept, each column looked up once, numbers asked for their kind if they are 0, texts bound without a copy"

  /// Writes the figures; a folder that is missing is made.
  func write(to file: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try encoder.encode(self).write(to: file, options: .atomic)
  }

  /// Times in milliseconds, memory in bytes.
  private struct Figures: Encodable {
    let median: Double
    let ratio: Double?
    let noise: Double?
    let isOfProcessorTime: Bool?
    let samples: [Double]
    let processorMedian: Double
    let processorRatio: Double?
    let peakMemory: Int?
    let memoryGrowth: Int?
    let memoryOfFiles: Int?
    let memoryRatio: Double?
  }

  private struct Environment: Encodable {
    let machine: Machine
    /// What the ratios are ratios to.
    let yardstick: String
    let repetitions: Int
    let orders: Int
    let source: String
    let command: String
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
      self.stringValue = stringValue
    }

    init?(intValue: Int) {
      nil
    }
  }
}
