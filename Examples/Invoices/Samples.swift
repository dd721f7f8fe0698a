import Foundation
import Larder

/// The same numbers on each run.
struct Dice: RandomNumberGenerator {
  var state: UInt64 = 20_240_101

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ (state >> 33)
  }
}

/// Customers, tags and invoices of two years.
struct Samples {
  static let start = Date(timeIntervalSince1970: 1_704_067_200)  // 2024-01-01 UTC
  static let products = ["Consulting", "Design", "Hosting", "Licence", "Repair", "Support", "Training", "Travel"]
  static let taxRates = [Decimal(81) / 1000, Decimal(26) / 1000, 0, Decimal(19) / 100]

  var customers: [Customer] = []
  var tags = ["export", "large", "late", "retail", "vip"].map { Tag(name: $0) }
  var invoices: [Invoice] = []

  init() {
    var dice = Dice()
    let names = ["Ada", "Bo", "Cy", "Dora", "Emil", "Fay", "Gil", "Hedy", "Ivo", "June", "Karl"]
    customers = names.map { Customer(email: "\($0.lowercased())@example.org", name: "\($0) Ltd") }
    for number in 1...200 {
      // Karl has no invoices, and June only some in the second year.
      let day = Int.random(in: 0..<730, using: &dice)
      let customer = customers[Int.random(in: 0..<(day < 400 ? 9 : 10), using: &dice)]
      invoices.append(invoice(number, customer, day, &dice))
    }
  }

  private func invoice(_ number: Int, _ customer: Customer, _ day: Int, _ dice: inout Dice) -> Invoice {
    let issuedAt = Self.start + TimeInterval(day * 86_400 + Int.random(in: 0..<86_400, using: &dice))
    let status = [Status.paid, .paid, .paid, .sent, .sent, .draft, .cancelled].randomElement(using: &dice) ?? .draft
    var invoice = Invoice(
      number: "R-\(1000 + number)", customer: ToOne(customer), issuedAt: issuedAt, dueAt: issuedAt + 30 * 86_400,
      paidAt: status == .paid ? issuedAt + TimeInterval(Int.random(in: 1...60, using: &dice) * 86_400) : nil,
      currency: Int.random(in: 0..<4, using: &dice) == 0 ? .eur : .chf, status: status)
    invoice.lines = ToMany(
      (1...Int.random(in: 1...5, using: &dice)).map { _ in
        InvoiceLine(
          invoice: ToOne(invoice.id), text: Self.products.randomElement(using: &dice) ?? "",
          quantity: Decimal(Int.random(in: 1...40, using: &dice)) / 4,
          unitPrice: Decimal(Int.random(in: 199...25_000, using: &dice)) / 100,
          taxRate: Self.taxRates.randomElement(using: &dice) ?? 0)
      })
    invoice.tags = ToMany(tags.filter { _ in Int.random(in: 0..<3, using: &dice) == 0 })
    return invoice
  }
}
