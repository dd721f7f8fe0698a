public import Foundation

/// A part of a batch, in the order in which they arrive.
public enum BatchPart: Sendable, Hashable {
  /// Who sends what to whom. It is the first part.
  case header(BatchHeader)
  /// The digest of the sender's models, and what the replicas knew of each other, and their names. It is the second part.
  case opening(modelsDigest: Data, knowledge: [Knowledge], names: [ReplicaName])
  /// Rows, in the order of their changes; none twice within a part.
  case rows([RowState])
  /// The batch is whole. It is the last part.
  case end
}
