/// What went wrong in a store: a code to act on, and a message that names the model, the property and the remedy.
///
/// No message shows a stored value. Errors that your own closures and ``Model/validate()`` throw reach you unchanged; a cancelled
/// task throws `CancellationError`.
public struct StoreError: Error, Sendable, Hashable {
  /// What kind of error it is.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private let name: String

    /// There is no row with the key.
    public static let notFound = Code(name: "notFound")
    /// The key, or a unique property, is taken.
    public static let duplicate = Code(name: "duplicate")
    /// A rule of the table refuses the row: a check, or NULL where a value is required.
    public static let constraint = Code(name: "constraint")
    /// Other rows refer to the row, or the row refers to one that is not there.
    public static let referenced = Code(name: "referenced")
    /// The value cannot be stored, or the stored value is not one of the property's type.
    public static let invalidValue = Code(name: "invalidValue")
    /// The model and the file's table do not fit together.
    public static let schemaMismatch = Code(name: "schemaMismatch")
    /// A newer version of the program, or of Larder, wrote the file.
    public static let newerFile = Code(name: "newerFile")
    /// The file is not an SQLite database.
    public static let notAStore = Code(name: "notAStore")
    /// The file is damaged.
    public static let corrupt = Code(name: "corrupt")
    /// Another connection kept the file locked for longer than the busy timeout, or others of this process were in front for longer than the wait limit.
    public static let busy = Code(name: "busy")
    /// The store was suspended by ``Store/suspend()``.
    public static let suspended = Code(name: "suspended")
    /// No space is left.
    public static let diskFull = Code(name: "diskFull")
    /// The file or its folder cannot be written.
    public static let readOnly = Code(name: "readOnly")
    /// The file system failed to read or write.
    public static let inputOutput = Code(name: "inputOutput")
    /// Somebody else changed the rows that a ``Context`` was to save.
    public static let conflict = Code(name: "conflict")
    /// The store was closed.
    public static let closed = Code(name: "closed")
    /// The database cannot do what was asked.
    public static let unsupported = Code(name: "unsupported")
    /// A migration failed; the file is as it was before.
    public static let migrationFailed = Code(name: "migrationFailed")

    public var description: String { name }
  }

  /// What kind of error it is.
  public let code: Code
  /// The model's name, where the error concerns one.
  public let model: String?
  /// The property's name, where the error concerns one.
  public let property: String?
  /// What happened and what to do, in a sentence or two.
  public let message: String

  init(_ code: Code, model: String? = nil, property: String? = nil, _ message: String) {
    self.code = code
    self.model = model
    self.property = property
    self.message = message
  }

  init(_ failure: ValueFailure, model: String?, property: String?) {
    let place = [model, property].compactMap { $0 }.joined(separator: ".")
    self.init(
      failure.code, model: model, property: property,
      "\(place.isEmpty ? "A value" : place) \(failure.problem). \(failure.remedy.capitalizedSentence).")
  }
}

extension StoreError: CustomStringConvertible {
  public var description: String { "StoreError.\(code): \(message)" }
}

extension String {
  fileprivate var capitalizedSentence: String {
    prefix(1).uppercased() + dropFirst()
  }
}
