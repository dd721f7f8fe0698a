import Testing

@testable import LarderBench

@Suite("Samples")
struct SampleTests {
  private func sample(_ measurements: [(elapsed: Double, processor: Double, preemptions: Int)]) -> Sample {
    var sample = Sample()
    for (elapsed, processor, preemptions) in measurements {
      sample.append(Measurement(elapsed: elapsed, processor: processor, preemptions: preemptions))
    }
    return sample
  }

  @Test("a quiet machine gives the ratio of the time that passed and that of processor time")
  func quiet() {
    let ratios = sample([(2, 3, 0), (2, 3, 0)]).ratios(to: sample([(1, 1, 0), (1, 1, 0)]))
    #expect(ratios.elapsed?.value == 2)
    #expect(ratios.processor?.value == 3)
    #expect(ratios.time?.value == 2)
    #expect(!ratios.isOfProcessorTime)
  }

  @Test("a busy machine gives the ratio of processor time only")
  func busy() {
    let ratios = sample([(9, 3, 1), (9, 3, 1), (2, 3, 0)]).ratios(to: sample([(1, 1, 0), (1, 1, 0), (1, 1, 1)]))
    #expect(ratios.elapsed == nil)
    #expect(ratios.time?.value == 3)
    #expect(ratios.isOfProcessorTime)
  }

  @Test("turns in which one of the two was preempted are left out of the time that passed")
  func disturbed() {
    let ratios = sample([(2, 3, 0), (90, 3, 1), (2, 3, 0)]).ratios(to: sample([(1, 1, 0), (1, 1, 0), (1, 1, 0)]))
    #expect(ratios.elapsed?.value == 2)
  }

  @Test("samples of different lengths have no ratio")
  func unequal() {
    #expect(sample([(1, 1, 0)]).ratios(to: sample([])) == Ratios())
  }
}
