/// A participant, whatever its contender.
protocol AnyParticipant: AnyObject {
  var benchmark: BenchmarkCase { get }
  var name: ContenderName { get }

  func perform() async throws -> Measurement
  func outcome() async throws -> [Order]
  func restore() throws
}

extension ContenderName {
  /// The contender of this name, ready for one case.
  ///
  /// - Parameter path: a copy of the template that nobody else uses.
  func participant(in benchmark: BenchmarkCase, on workload: Workload, path: String) throws -> any AnyParticipant {
    switch self {
    case .rawC:
      try Participant(RawC.self, named: self, in: benchmark, on: workload, path: path)
    case .larder:
      try Participant(LarderContender.self, named: self, in: benchmark, on: workload, path: path)
    case .grdbManual:
      try Participant(GRDBContender<ManualOrder>.self, named: self, in: benchmark, on: workload, path: path)
    case .grdbCodable:
      try Participant(GRDBContender<CodableOrder>.self, named: self, in: benchmark, on: workload, path: path)
    }
  }
}
