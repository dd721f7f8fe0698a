/// An error of a store: a code to act on, and a message that names the model, the property and the remedy.
///
/// Messages never show stored values. Errors that your own closures and ``Model/validate()`` throw reach you unchanged;
/// a cancelled task throws `CancellationError`.
///
/// Some codes are common to many methods. Their documentation calls them *the errors of any read* and *the errors of
/// any write*:
///
/// - Any read: ``Code/closed``, ``Code/busy``, ``Code/inputOutput``, ``Code/corrupt``, and ``Code/schemaMismatch`` if a
///   table has changed since the store was opened. An asynchronous read throws `CancellationError` as soon as its task
///   is cancelled, even while the query runs.
/// - Any write: the errors of any read, and ``Code/diskFull``, ``Code/readOnly``, ``Code/suspended``, and
///   ``Code/constraint`` or ``Code/referenced`` if a rule of the table rejects the row.
public struct StoreError: Error, Sendable, Hashable {
  /// The kind of an error.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private let name: String

    /// No row has the key, or the file doesn't exist.
    public static let notFound = Code(name: "notFound")
    /// The key, or the value of a unique property, already exists.
    public static let duplicate = Code(name: "duplicate")
    /// A rule of the table rejects the row: a check, or NULL in a column that requires a value.
    public static let constraint = Code(name: "constraint")
    /// Other rows refer to the row, or the row refers to one that doesn't exist.
    public static let referenced = Code(name: "referenced")
    /// The value can't be stored, or the stored value doesn't fit the property's type.
    public static let invalidValue = Code(name: "invalidValue")
    /// The model doesn't match the table in the file.
    public static let schemaMismatch = Code(name: "schemaMismatch")
    /// A newer version of the program, or of Larder, wrote the file.
    public static let newerFile = Code(name: "newerFile")
    /// The file isn't an SQLite database.
    public static let notAStore = Code(name: "notAStore")
    /// The file is damaged.
    public static let corrupt = Code(name: "corrupt")
    /// Another connection locked the file for longer than the busy timeout, or other calls of this process took longer
    /// than the wait limit.
    public static let busy = Code(name: "busy")
    /// The store was suspended by ``Store/suspend()``.
    public static let suspended = Code(name: "suspended")
    /// There is no space left on the disk.
    public static let diskFull = Code(name: "diskFull")
    /// The file or its folder can't be written.
    public static let readOnly = Code(name: "readOnly")
    /// The file system failed to read or write.
    public static let inputOutput = Code(name: "inputOutput")
    /// Rows that a ``Context`` was about to save were changed by another connection.
    public static let conflict = Code(name: "conflict")
    /// The store was closed.
    public static let closed = Code(name: "closed")
    /// The database doesn't support the operation.
    public static let unsupported = Code(name: "unsupported")
    /// A migration failed. The file is unchanged.
    public static let migrationFailed = Code(name: "migrationFailed")

    public var description: String { name }
  }

  /// The kind of the error.
  public let code: Code
  /// The model's name, if the error concerns a model.
  public let model: String?
  /// The property's name, if the error concerns a property.
  public let property: String?
  /// The values of the row's key, if the error concerns a row whose key is known; otherwise empty. The message doesn't
  /// show them.
  public let key: [Value]
  /// The number of characters before the place that is wrong, if a person wrote a condition or sort as text; otherwise
  /// nil.
  public let position: Int?
  /// A sentence or two that say what happened and what to do.
  public let message: String

  init(
    _ code: Code, model: String? = nil, property: String? = nil, key: [Value] = [], _ message: String,
    position: Int? = nil
  ) {
    self.position = position
    self.code = code
    self.model = model
    self.property = property
    self.key = key
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
