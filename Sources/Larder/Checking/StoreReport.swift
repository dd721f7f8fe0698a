/// What ``Store/check(limit:progress:)`` found.
///
/// ```swift
/// let report = try await store.check()
/// if !report.isHealthy { log.error("\(report)") }
/// ```
public struct StoreReport: Sendable, Hashable {
  /// Something that is not as it should be.
  public struct Finding: Sendable, Hashable {
    /// What kind of thing it is.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// Pages of the file, or an index, do not fit together.
      case damage
      /// A row refers to one that is not there.
      case danglingReference
      /// A `@Derived` property is not what its rows say.
      case derivedValue
      /// A row names an attachment whose bytes are not there.
      case missingAttachment
      /// The bytes of an attachment are not those that were attached.
      case damagedAttachment
      /// A full-text index does not have the words of its table.
      case searchIndex
    }

    public let kind: Kind
    /// The model's name, if the table belongs to one.
    public let model: String?
    /// The property's name, if one is concerned.
    public let property: String?
    /// The table, or the collection of documents, if one is concerned.
    public let table: String?
    /// The row's key, the values of its columns by their names, if one row is concerned. No message and no description shows it.
    public let key: [String: Value]
    /// The model, or the table, that a dangling reference refers to.
    public let referencedModel: String?
    /// What is wrong and what to do, without a stored value.
    public let message: String

    init(
      _ kind: Kind, model: String? = nil, property: String? = nil, table: String? = nil, key: [String: Value] = [:], referencedModel: String? = nil,
      _ message: String
    ) {
      self.kind = kind
      self.model = model
      self.property = property
      self.table = table
      self.key = key
      self.referencedModel = referencedModel
      self.message = message
    }
  }

  /// What a check is at, as its closure is told of it.
  public struct Progress: Sendable, Hashable {
    /// What is looked at.
    public enum Step: String, Sendable, Hashable, CaseIterable {
      case pages, references, derivedValues, attachments, searchIndexes
    }

    /// What is looked at now; after the last part, what was looked at last.
    public let step: Step
    /// The model or table whose part it is; nil if the whole file is looked at.
    public let model: String?
    /// How many parts were looked at. The pages of the file are one part, and take the most time in a large file.
    public let completed: Int
    /// How many parts there are.
    public let total: Int
  }

  /// What was found: of each kind the first ones, up to the limit of the check.
  public internal(set) var findings: [Finding] = []
  /// How many of each kind there are.
  public internal(set) var counts: [Finding.Kind: Int] = [:]

  /// Whether nothing was found.
  public var isHealthy: Bool { counts.isEmpty }

  /// How many there are beyond ``findings``.
  public var omittedCount: Int { counts.values.reduce(0, +) - findings.count }

  /// Counts a finding, and keeps it if there are fewer of its kind than the limit.
  mutating func add(_ kind: Finding.Kind, limit: Int, _ finding: () throws -> Finding) rethrows {
    let count = counts[kind, default: 0]
    counts[kind] = count + 1
    if count < limit { findings.append(try finding()) }
  }
}

extension StoreReport.Finding: CustomStringConvertible {
  /// The message, without a stored value.
  public var description: String { message }
}

extension StoreReport.Finding: CustomDebugStringConvertible {
  /// The message, without a stored value.
  public var debugDescription: String { message }
}

extension StoreReport.Finding: CustomReflectable {
  /// The kind and the message: what dumps a value must not show the key.
  public var customMirror: Mirror { Mirror(self, children: ["kind": kind, "message": message]) }
}

extension StoreReport: CustomStringConvertible {
  /// A line for each finding, without a stored value.
  public var description: String {
    if isHealthy { return "The store is healthy." }
    let lines = findings.map { "- \($0.message)" }
    return (lines + (omittedCount > 0 ? ["- and \(omittedCount) more"] : [])).joined(separator: "\n")
  }
}
