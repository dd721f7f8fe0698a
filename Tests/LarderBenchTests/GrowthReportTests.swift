import Testing

@testable import LarderBench

@Suite("The report of growth")
struct GrowthReportTests {
  @Test("a figure is marked if it grows more than the depth of a B-tree")
  func marks() {
    var report = GrowthReport(machine: Machine())
    report.add([.find: 1, .indexedPage: 10, .count: 2], size: 10_000)
    report.add([.find: 1.7, .indexedPage: 30, .count: 2], size: 10_000_000)

    #expect(report.depthGrowth == 1.75)
    #expect(!report.exceedsDepth(.find))
    #expect(report.exceedsDepth(.indexedPage))
    let lines = report.description.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix(GrowthFigure.indexedPage.work) && $0.hasSuffix("3.0 *") })
    #expect(lines.contains { $0.hasPrefix(GrowthFigure.find.work) && $0.hasSuffix("1.7") })
  }

  @Test("work on all rows is marked, though its figure is that for each million")
  func marksWorkOnAllRows() {
    var report = GrowthReport(machine: Machine())
    report.add([.count: 2, .backup: 2], size: 10_000)
    report.add([.count: 2, .backup: 2], size: 10_000_000)

    #expect(report.exceedsDepth(.count))
    #expect(report.exceedsDepth(.backup))
  }
}
