internal import Foundation
public import LarderArchive
internal import Synchronization

/// A type that decodes what it contains several times, at each level.
public struct Repeating: Archivable, Sendable {
  public static let archiveTag = "Repeating"

  /// How the type requests what it contains.
  public enum Way: String, CaseIterable, Sendable {
    case decode, whole, superDecoder, nested
  }

  /// The way, the times, and the number of requests so far.
  public final class Plan: Sendable {
    let way: Way
    let isList: Bool
    let times: Int
    private let mostRequests: Int
    private let requests = Atomic(0)

    /// - Parameter mostRequests: More requests throw a `CancellationError`.
    public init(_ way: Way, isList: Bool, times: Int, mostRequests: Int = .max) {
      self.way = way
      self.isList = isList
      self.times = times
      self.mostRequests = mostRequests
    }

    /// The `userInfo` of the call that decodes.
    public var userInfo: [CodingUserInfoKey: any Sendable] { Repeating.plan.map { [$0: self] } ?? [:] }

    func count() throws {
      if requests.add(1, ordering: .relaxed).newValue > mostRequests { throw CancellationError() }
    }
  }

  private static let plan = CodingUserInfoKey(rawValue: "LarderArchiveMutation.plan")

  private enum Key: String, CodingKey { case next }

  public init(from decoder: any Decoder) throws { try Level(from: decoder) }

  public func encode(to encoder: any Encoder) throws { _ = encoder.unkeyedContainer() }

  /// A level, which isn't ``Archivable``: it has no version of its own.
  private struct Level: Decodable {
    @discardableResult
    init(from decoder: any Decoder) throws {
      guard let key = Repeating.plan, let plan = decoder.userInfo[key] as? Plan else { return }
      for _ in 0..<plan.times where try !decoder.singleValueContainer().decodeNil() {
        try plan.count()
        try plan.isList ? Self.list(decoder, plan) : Self.dictionary(decoder, plan)
      }
    }

    private static func list(_ decoder: any Decoder, _ plan: Plan) throws {
      if plan.way == .whole {
        _ = try decoder.singleValueContainer().decode([Level].self)
        return
      }
      var elements = try decoder.unkeyedContainer()
      switch plan.way {
      case .superDecoder: try Level(from: elements.superDecoder())
      case .nested: try nested(elements, plan)
      default: _ = try elements.decode(Level.self)
      }
    }

    private static func dictionary(_ decoder: any Decoder, _ plan: Plan) throws {
      if plan.way == .whole {
        _ = try decoder.singleValueContainer().decode([String: Level].self)
        return
      }
      let fields = try decoder.container(keyedBy: Key.self)
      switch plan.way {
      case .superDecoder: try Level(from: fields.superDecoder(forKey: .next))
      case .nested: try nested(fields, plan)
      default: _ = try fields.decode(Level.self, forKey: .next)
      }
    }

    private static func nested(_ elements: any UnkeyedDecodingContainer, _ plan: Plan) throws {
      for _ in 0..<plan.times {
        try plan.count()
        var elements = elements
        if try !elements.decodeNil() { try nested(elements.nestedUnkeyedContainer(), plan) }
      }
    }

    private static func nested(_ fields: KeyedDecodingContainer<Key>, _ plan: Plan) throws {
      for _ in 0..<plan.times where try !fields.decodeNil(forKey: .next) {
        try plan.count()
        try nested(fields.nestedContainer(keyedBy: Key.self, forKey: .next), plan)
      }
    }
  }
}
