import Foundation
import LarderProving
import Testing

@Suite struct ReportTests {
  private let result = PartResult(
    part: "kills", title: "Kills", summary: "Processes are killed.", seed: 7, cases: 1234, unit: "kills",
    checks: 5_000_000,
    findings: [Finding("a row <b>is</b> missing", reproduction: "LarderProof kills --seed 7")], seconds: 75)

  @Test("the report names the seed, the figures, each finding and the command that shows it again") func text() {
    let text = Report([result]).text
    for part in [
      "seed 7", "1,234 kills", "5,000,000 checks", "1 min 15 s", "a row <b>is</b> missing",
      "LarderProof kills --seed 7",
    ] {
      #expect(text.contains(part))
    }
  }

  @Test("the page shows what was found as text, whatever it holds") func page() {
    let page = Report([result]).page
    #expect(page.contains("a row &lt;b&gt;is&lt;/b&gt; missing"))
    #expect(!page.contains("<b>is"))
  }

  @Test("a result that was written is read again as it was") func folder() throws {
    let folder = ResultFolder(
      path: FileManager.default.temporaryDirectory.appending(component: "proof-\(UUID())").path(percentEncoded: false))
    defer { try? FileManager.default.removeItem(at: folder.url) }
    try folder.write(result)
    let read = try folder.results()
    #expect(read.map(\.findings) == [result.findings])
    #expect(read.map(\.cases) == [1234])
  }
}
