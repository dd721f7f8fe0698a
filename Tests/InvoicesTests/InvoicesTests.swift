import Testing

@testable import Invoices

@Suite("The example Invoices")
struct InvoicesTests {
  @Test("each report, list and change is what Swift computes from arrays, and a copy by JSON is the same")
  func checks() async throws {
    let checks = try await InvoicesCommand.runInTemporaryFolder()
    #expect(checks.failures.isEmpty)
    #expect(checks.count > 800)
  }
}
