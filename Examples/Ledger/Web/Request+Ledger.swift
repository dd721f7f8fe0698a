import ExampleWeb
import Foundation
import Hummingbird

extension RequestContext {
  /// The row that the path names; anything that is no identifier names none.
  var rowID: UUID {
    get throws {
      guard let id = parameters.get("id", as: UUID.self) else { throw LedgerProblem.gone("It is not there any more.") }
      return id
    }
  }
}

extension Request {
  /// A JSON body; nothing that the page sends besides files comes near the limit.
  func form<Form: Decodable>(_ type: Form.Type) async throws -> Form {
    try await json(type, upTo: 64 * 1024)
  }

  /// The number of costs that the user was told would change: `?costs=12`.
  ///
  /// Throws 428 without it: what is deleted along with something else has to be known before.
  var confirmedCosts: Int {
    get throws {
      guard let count = uri.queryParameters["costs"].flatMap({ Int($0) }) else {
        throw HTTPError(.preconditionRequired, message: "Say how many costs change: ?costs=12.")
      }
      return count
    }
  }

  /// The filter of the page's address. Throws 400 for what no page asks.
  var filter: CostFilter {
    get throws {
      var filter = CostFilter()
      filter.account = try value("account") { UUID(uuidString: $0) }
      filter.category = try value("category") {
        $0 == "none" ? CostFilter.CategoryChoice.none : UUID(uuidString: $0).map { .category($0) }
      }
      filter.from = try value("from") { Day(rawValue: $0) }
      filter.through = try value("through") { Day(rawValue: $0) }
      filter.text = try value("text") { $0.count <= Cost.maximumNoteLength ? $0 : nil }
      return filter
    }
  }

  /// The place after which a page of costs begins: `?after=2026-11-21~` and an identifier.
  var place: CostPlace? {
    get throws {
      try value("after") {
        let parts = $0.split(separator: "~", maxSplits: 1).map(String.init)
        guard parts.count == 2, let date = Day(rawValue: parts[0]), let id = UUID(uuidString: parts[1]) else {
          return nil
        }
        return CostPlace(date: date, id: id)
      }
    }
  }

  /// The number of costs between that place and the page: `?skip=300`.
  var skipped: Int {
    get throws { try value("skip") { Int($0).flatMap { (0...10_000_000).contains($0) ? $0 : nil } } ?? 0 }
  }

  private func value<Value>(_ name: Substring, _ make: (String) -> Value?) throws -> Value? {
    guard let text = uri.queryParameters[name], !text.isEmpty else { return nil }
    guard let value = make(String(text)) else {
      throw HTTPError(.badRequest, message: "The filter “\(name)” is not one that this page makes.")
    }
    return value
  }
}
