import Foundation
import Testing

@testable import LarderBench

@Suite("The report of a run")
struct ReportTests {
  private func sample(_ elapsed: Double) -> Sample {
    var sample = Sample()
    for _ in 0..<3 { sample.append(Measurement(elapsed: elapsed, processor: elapsed, preemptions: 0)) }
    return sample
  }

  @Test("other programs find each case by its key with Larder's ratio to C, and what C does")
  func keys() throws {
    let cases: [BenchmarkCase] = [
      .fetchAll, .find, .insertBulk, .saveSingle, .saveConcurrent, .indexedQuery, .updateBulk,
    ]
    let samples = Dictionary(
      uniqueKeysWithValues: cases.map { ($0, [ContenderName.rawC: sample(2), .larder: sample(3)]) })
    let report = Report(
      workload: Workload(orders: []), cases: cases, repetitions: 3, source: "none", command: "make bench",
      machine: Machine(), samples: samples, memory: [:], relationships: [], relationshipSamples: [:])
    let json = try #require(try JSONSerialization.jsonObject(with: JSONEncoder().encode(report)) as? [String: Any])
    let names = [
      "fetch-all", "find", "insert-bulk", "save-single", "save-concurrent", "indexed-query", "update-bulk",
    ]
    #expect(Set(json.keys) == Set(names + ["environment"]))
    for name in names {
      let larder = (json[name] as? [String: [String: Any]])?["larder"]
      #expect(larder?["ratio"] as? Double == 1.5, "\(name)")
    }
    let environment = json["environment"] as? [String: Any]
    #expect((environment?["yardstick"] as? String)?.contains("without a copy") == true)
  }
}
