/// The result of ``Store/check(limit:progress:)``.
///
/// ```swift
/// let report = try await store.check()
/// if !report.isHealthy { log.error("\(report)") }
/// ```
public struct StoreReport: Sendable, Hashable {
  /// A problem in the store.
  public struct Finding: Sendable, Hashable {
    /// The kinds of problems.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// Pages of the file, or an index, are inconsistent.
      case damage
      /// A row refers to a row that doesn't exist.
      case danglingReference
      /// A row breaks a `CHECK` constraint that another program declared, or whether it does couldn't be evaluated.
      case failedConstraint
      /// A `@Derived` property differs from the value computed from its rows.
      case derivedValue
      /// A row refers to an attachment whose data is missing.
      case missingAttachment
      /// The data of an attachment differs from what was attached.
      case damagedAttachment
      /// A full-text index doesn't have the words of its table.
      case searchIndex
      /// A row has JSON in another form than Larder writes, and conditions that compare it don't find it.
      case jsonForm
      /// A row has another value in another form than Larder writes, such as 7 for `true`, and conditions that compare it
      /// don't find it.
      case valueForm
      /// A row has a value that its property can't hold, so that reading it throws.
      case unreadableValue
      /// A trigger that maintains derived values, orders or full-text indexes is missing.
      case missingTrigger
      /// An index of a model is missing.
      case missingIndex
    }

    /// The kind of the problem.
    public let kind: Kind
    /// The model's name, if the table belongs to one.
    public let model: String?
    /// The property's name, if the problem concerns one.
    public let property: String?
    /// The table, or the collection of documents, if the problem concerns one.
    public let table: String?
    /// The row's key, as values by column name, if the problem concerns one row. Messages and descriptions never show
    /// it.
    public let key: [String: Value]
    /// The model, or the table, that a dangling reference refers to.
    public let referencedModel: String?
    /// What is wrong and what to do, without stored values.
    public let message: String

    init(
      _ kind: Kind, model: String? = nil, property: String? = nil, table: String? = nil, key: [String: Value] = [:],
      referencedModel: String? = nil,
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

  /// The progress of a check.
  public struct Progress: Sendable, Hashable {
    /// A kind of check.
    public enum Step: String, Sendable, Hashable, CaseIterable {
      /// The pages and indexes of the file.
      case pages
      /// References to rows.
      case references
      /// `CHECK` constraints that other programs declared.
      case constraints
      /// The values of `@Derived` properties.
      case derivedValues
      /// The data of attachments.
      case attachments
      /// Full-text indexes.
      case searchIndexes
      /// The form of JSON.
      case jsonForms
      /// The triggers and indexes of the models.
      case schema
      /// The values of all rows.
      case values
    }

    /// The current check; after the last part, the last check.
    public let step: Step
    /// The model or table being checked; nil if the check concerns the whole file.
    public let model: String?
    /// The number of completed parts. The pages of the file are one part, which takes most of the time in a large file.
    public let completed: Int
    /// The number of parts.
    public let total: Int
  }

  /// The findings: the first ones of each kind, up to the limit of the check.
  public internal(set) var findings: [Finding] = []
  /// The number of findings of each kind.
  public internal(set) var counts: [Finding.Kind: Int] = [:]

  /// Whether there are no findings.
  public var isHealthy: Bool { counts.isEmpty }

  /// The number of findings that aren't in ``findings``.
  public var omittedCount: Int { counts.values.reduce(0, +) - findings.count }

  /// Counts a finding, and keeps it if there are fewer of its kind than the limit.
  mutating func add(_ kind: Finding.Kind, limit: Int, _ finding: () throws -> Finding) rethrows {
    let count = counts[kind, default: 0]
    counts[kind] = count + 1
    if count < limit { findings.append(try finding()) }
  }
}

extension StoreReport.Finding: CustomStringConvertible {
  /// The message, without stored values.
  public var description: String { message }
}

extension StoreReport.Finding: CustomDebugStringConvertible {
  /// The message, without stored values.
  public var debugDescription: String { message }
}

extension StoreReport.Finding: CustomReflectable {
  /// The kind and the message: a dump of the value must not show the key.
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
