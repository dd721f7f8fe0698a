import Foundation
import Larder

@Model
private struct Basket {
  var id: Int
  @Relationship(deleteRule: .cascade, inverse: \Egg.basket) var eggs: ToMany<Egg> = []
  @Derived(.sum(\Basket.eggs, \Egg.weight)) var weight: Int = 0
}

@Model
private struct Egg {
  var id: Int
  var weight: Int
  var label = String(repeating: "x", count: 400)
  var basket: ToOne<Basket>
}

extension LarderTestProcess {
  /// Inserts so many rows below a derived sum, in a transaction that has changed many pages with one statement before, and
  /// says how often the process wrote meanwhile.
  func countWrites(_ count: Int) throws {
    let store = try Store(at: path, for: Basket.self, Egg.self).blocking
    try store.insert(Basket(id: 1))
    try store.insert((0..<500).map { Egg(id: $0, weight: 1, basket: .init(1)) })
    try store.write { db in
      try db.updateAll(Egg.where { $0.id < 300 }) { $0.weight.increment(by: 1) }
      let before = try Self.writes()
      for number in 0..<count { try db.insert(Egg(id: 1000 + number, weight: 1, basket: .init(1))) }
      Self.say("\(try Self.writes() - before)")
    }
    Self.say("\(try store.find(Basket.self, 1)?.weight ?? 0)")
  }

  /// The number of calls of the system that have written.
  private static func writes() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/io", encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix("syscw:") }
    return line.flatMap { Int($0.dropFirst("syscw:".count).trimmingPrefix(" ")) } ?? 0
  }
}
