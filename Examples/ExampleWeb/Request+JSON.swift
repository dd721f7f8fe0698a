public import Foundation
public import Hummingbird
import NIOCore

extension Request {
  /// Returns the value that the JSON of the body describes.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - limit: The greatest number of bytes that the body may have.
  /// - Throws: `DecodingError` if the JSON is of another type, and `NIOTooManyBytesError` if the body is too long.
  public func json<Value: Decodable>(_ type: Value.Type, upTo limit: Int) async throws -> Value {
    let body = try await body.collect(upTo: limit)
    return try JSONDecoder().decode(type, from: Data(body.readableBytesView))
  }

  /// Returns the version that a change is based on: the date in `If-Match`, as the JSON of the changed value has it.
  ///
  /// - Parameter property: The property that is the version, for the message of the error.
  /// - Throws: `HTTPError` with status 428 if there is none, because such a change could overwrite another one.
  public func version(of property: String) throws -> Date {
    guard let tag = headers[.ifMatch], let seconds = Double(tag.trimmingCharacters(in: ["\""])) else {
      throw HTTPError(.preconditionRequired, message: "Send If-Match with \(property).")
    }
    return Date(timeIntervalSinceReferenceDate: seconds)
  }
}
