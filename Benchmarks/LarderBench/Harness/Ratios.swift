/// The ratios of one case. Runs are compared by ratios of the same kind, since each kind has a level of its own.
struct Ratios: Codable, Equatable {
  /// Of the time that passed; nil if the machine was too busy to tell.
  var elapsed: Ratio?

  /// Of the time that was worked on the processors.
  var processor: Ratio?

  /// Of the peak memory of processes that do only this.
  var memory: Ratio?

  /// The kinds, by the names that they have in sentences.
  private static var kinds: [(name: String, ratio: KeyPath<Ratios, Ratio?>)] {
    [("time", \.elapsed), ("processor time", \.processor), ("peak memory", \.memory)]
  }

  /// The ratio of time that says most: that of the time that passed, if there is one.
  var time: Ratio? { elapsed ?? processor }

  /// Whether ``time`` is the ratio of processor time.
  var isOfProcessorTime: Bool { elapsed == nil && processor != nil }

  /// What has moved by more than the noise of both, each as a part of a sentence.
  func changes(since earlier: Ratios) -> [String] {
    Self.kinds.compactMap { name, kind in
      // Processor time counts where one of the two runs has nothing better.
      if kind == \Ratios.processor, elapsed != nil, earlier.elapsed != nil { return nil }
      guard let ratio = self[keyPath: kind], let before = earlier[keyPath: kind], ratio.differs(from: before) else {
        return nil
      }
      return "\(ratio.value > before.value ? "more" : "less") \(name), \(ratio.text), committed \(before.text)"
    }
  }

  /// Whether the two have a ratio of time of the same kind, or one of memory where neither has one of time.
  func isComparable(to earlier: Ratios) -> Bool {
    let common = Self.kinds.filter { self[keyPath: $0.ratio] != nil && earlier[keyPath: $0.ratio] != nil }
    guard time != nil || earlier.time != nil else { return !common.isEmpty }
    return common.contains { $0.ratio != \Ratios.memory }
  }

  /// These ratios, and those that they lack from earlier ones.
  func completed(by earlier: Ratios?) -> Ratios {
    Ratios(
      elapsed: elapsed ?? earlier?.elapsed, processor: processor ?? earlier?.processor,
      memory: memory ?? earlier?.memory)
  }
}
