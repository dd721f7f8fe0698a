/// Keeps the attachments that steps and unsaved rows refer to, because nothing else may refer to them any longer.
extension ContextConnection {
  /// Leases the attachments of the step in this process: those of the rows that it wrote, and those of the previous
  /// rows.
  func holdAttachments(of step: Int, in layer: ContextLayer) throws {
    guard store.environment.attachments.isManaged, try AttachmentTable(connection).exists() else { return }
    let leases = store.environment.attachments.leases
    for digest in try namedDigests(in: layer, { $0.named(inStep: step) }) where layer.attachments[digest] == nil {
      layer.attachments[digest] = ContextLayer.KeptAttachment(lease: leases.begin(digest))
    }
  }

  /// Releases the attachments that neither a step nor an unsaved row refers to.
  func releaseAttachments(in layer: ContextLayer) throws {
    guard !layer.attachments.isEmpty else { return }
    let named = try namedDigests(in: layer, \.named)
    layer.attachments = layer.attachments.filter { named.contains($0.key) }
  }

  /// Writes the leases to the file for other processes, and returns what to record after the commit. The connection is
  /// in a write transaction.
  func writeAttachmentLeases() throws -> [(layer: ContextLayer, digests: [String])] {
    let kept = layers.map { layer in
      (layer: layer, digests: layer.attachments.filter { !$0.value.isWritten }.map(\.key))
    }.filter {
      !$0.digests.isEmpty
    }
    guard !kept.isEmpty, try AttachmentTable(connection).exists() else { return [] }
    for digest in Set(kept.flatMap(\.digests)) { try AttachmentTable(connection).keep(digest) }
    return kept
  }

  func didWriteAttachmentLeases(_ kept: [(layer: ContextLayer, digests: [String])]) {
    for (layer, digests) in kept {
      for digest in digests { layer.attachments[digest]?.isWritten = true }
    }
  }

  private func namedDigests(in layer: ContextLayer, _ queries: (OverlaySQL) -> [String]) throws -> Set<String> {
    var digests: Set<String> = []
    for query in sql(in: layer).flatMap(queries) {
      digests.formUnion(try connection.query(query).compactMap { $0["digest"]?.text })
    }
    return digests
  }
}

extension OverlaySQL {
  /// Returns queries for the attachments that the rows of a step refer to, before and after it.
  func named(inStep number: Int) -> [String] {
    let rows = "CROSS JOIN \(pending) AS t ON \(sameKey("t", "h"))"
    return named(in: history, "t.\(Self.stepNumber) = \(number)")
      + named(in: "\(history) AS h \(rows)", "h.\(Self.stepNumber) = \(number)")
  }

  /// Queries for the attachments that the rows of all steps, and unsaved rows, refer to.
  var named: [String] { named(in: history, "TRUE") + named(in: pending, "TRUE") }

  private func named(in source: String, _ condition: String) -> [String] {
    table.columns.filter(\.mayNameAttachments).map { column in
      let text = "t.\(Quoting.name(column.name))"
      let rows = source.contains(" AS t ") ? source : "\(source) AS t"
      return """
        SELECT DISTINCT j.atom AS digest FROM \(rows), \(AttachmentColumn.names(in: text, named: "j")) \
        AND \(condition) AND \(AttachmentColumn.mayName(text))
        """
    }
  }
}
