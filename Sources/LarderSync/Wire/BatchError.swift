/// An error of the bytes in which changes travel: a code to act on, and a message that names the place and the remedy.
///
/// Messages never show values or keys.
public struct BatchError: Error, Sendable, Hashable {
  /// The kind of an error.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private let name: String

    /// The bytes don't begin like a batch of changes.
    public static let notABatch = Code(name: "notABatch")
    /// The bytes were changed, cut, repeated or put in another order on the way.
    public static let damaged = Code(name: "damaged")
    /// The bytes arrived as they were sent, but break a rule of the format.
    public static let invalid = Code(name: "invalid")
    /// The batch exceeds a limit.
    public static let limitExceeded = Code(name: "limitExceeded")
    /// A newer version of Larder wrote the batch.
    public static let newerVersion = Code(name: "newerVersion")
    /// The batch is sealed with a key that wasn't given.
    public static let unknownKey = Code(name: "unknownKey")
    /// The batch was sealed by someone who doesn't have the key, or was changed afterwards.
    public static let notAuthentic = Code(name: "notAuthentic")
    /// The batch isn't sealed, and only sealed ones are taken.
    public static let notSealed = Code(name: "notSealed")
    /// The text isn't a key.
    public static let invalidKey = Code(name: "invalidKey")
    /// The header, the row or the knowledge to write contradicts itself.
    public static let invalidValue = Code(name: "invalidValue")
    /// The file can't be read, or there is no memory.
    public static let inputOutput = Code(name: "inputOutput")

    /// The code as it is written in Swift.
    public var description: String { name }
  }

  /// The kind of the error.
  public let code: Code
  /// The place in the batch in bytes, if the error has one: where the frame begins that breaks a rule, or where the
  /// bytes end.
  public let offset: Int?
  /// A sentence or two that say what happened, what was expected, and what to do.
  public let message: String

  init(_ code: Code, offset: Int? = nil, _ message: String) {
    self.code = code
    self.offset = offset
    self.message = message
  }
}

extension BatchError: CustomStringConvertible {
  /// The code, the place and the message in one line, without values.
  public var description: String {
    "BatchError.\(code): \(offset.map { "at byte \($0): " } ?? "")\(message)"
  }
}

extension BatchError {
  /// What a part of a batch was expected to be, thrown where the place in the batch isn't known.
  struct Problem: Error {
    let code: Code
    let expected: String

    init(_ expected: String, code: Code = .invalid) {
      self.code = code
      self.expected = expected
    }

    /// The error with its place.
    ///
    /// - Parameters:
    ///   - offset: Where the frame begins.
    ///   - frame: What the frame is called.
    func error(at offset: Int, in frame: String) -> BatchError {
      let remedy =
        switch code {
        case .limitExceeded: "Raise the limit if you trust the sender."
        case .notAuthentic: "Don't trust where it came from, and have it sent again."
        case .notSealed: "Have it sent again with the key of the group."
        case .unknownKey: "Add the key with which the sender seals, and read it again."
        case .newerVersion: "Update the program that reads it."
        case .inputOutput: "Try again when there is more memory."
        default: "Have it sent again; if it comes so again, the program that wrote it is at fault."
        }
      return BatchError(code, offset: offset, "In the \(frame), \(expected). \(remedy)")
    }
  }
}
