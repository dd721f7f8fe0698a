public import Foundation

/// Arrays in one another, in chains: each ends in the first of the chain before it, and the root refers to all of them.
///
/// The value is as deep as all chains together, though no chain adds many levels to those that were read before.
public struct SharedChains: Sendable {
  public let chains: Int
  public let length: Int

  public init(chains: Int, length: Int) {
    self.chains = chains
    self.length = length
  }

  /// The position behind that of an array among all of them; nil for the end.
  private func next(_ number: Int) -> Int? {
    guard number % length == length - 1 else { return number + 1 }
    return number < length ? nil : number - 2 * length + 1
  }

  /// The payload of an own archive.
  public func payload() -> Data {
    var builder = BinaryListBuilder()
    builder.add(.array([1]))
    builder.add(.array((0..<chains).map { 2 + $0 * length }))
    let end = 2 + chains * length
    for number in 0..<chains * length { builder.add(.array([next(number).map { 2 + $0 } ?? end])) }
    builder.add(.null)
    return builder.list()
  }

  /// A keyed archive.
  public func keyedArchive() -> Data {
    BinaryListBuilder.keyedArchive { builder in
      let root = builder.add(.array((0..<chains).map { builder.add(.uid(2 + $0 * length)) }))
      return [root]
        + (0..<chains * length).map { number in
          builder.add(.array([builder.add(.uid(next(number).map { 2 + $0 } ?? 0))]))
        }
    }
  }
}
