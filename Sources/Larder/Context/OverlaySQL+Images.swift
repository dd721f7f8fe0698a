/// The target state of rows: a step of the history, or the rows of a child's layer.
struct RowImages {
  /// The quoted name of the table that contains them.
  let table: String
  /// The condition of the rows; `i` is the row.
  let condition: String
  /// Whether the row shall exist.
  let isThere: String

  static func step(_ number: Int, of sql: OverlaySQL) -> RowImages {
    RowImages(
      table: sql.history, condition: "i.\(OverlaySQL.stepNumber) = \(number)",
      isThere: "i.\(OverlaySQL.isThere) = 1")
  }

  static func pending(of sql: OverlaySQL) -> RowImages {
    RowImages(table: sql.pending, condition: "TRUE", isThere: "i.\(OverlaySQL.state) = 0")
  }
}

extension OverlaySQL {
  /// Returns SQL that records the layer's current versions of these rows in a step of the history.
  func record(_ images: RowImages, inStep step: String) -> [String] {
    let isNew =
      "NOT EXISTS (SELECT 1 FROM \(history) AS h WHERE h.\(Self.stepNumber) = \(step) AND \(sameKey("h", "i")))"
    return [
      """
      INSERT INTO \(history) (\(Self.stepNumber), \(Self.isThere), \(list(columns))) SELECT \(step), 1, \(list(columns, of: "v")) \
      FROM \(images.table) AS i CROSS JOIN \(rows) AS v ON \(sameKey("v", "i")) WHERE \(images.condition) AND \(isNew)
      """,
      """
      INSERT INTO \(history) (\(Self.stepNumber), \(Self.isThere), \(list(keys))) SELECT \(step), 0, \(list(keys, of: "i")) \
      FROM \(images.table) AS i WHERE \(images.condition) AND \(isNew)
      """,
    ]
  }

  /// Returns SQL that deletes what the images say is deleted. Run it for all tables before ``restore(_:)``.
  func remove(_ images: RowImages) -> [String] {
    let source = "\(images.table) AS i"
    func note(_ below: String, _ condition: String) -> String {
      """
      INSERT INTO \(base) (\(Self.row), \(Self.clock), \(list(columns))) SELECT \(lowerRow("s")), \(step), \(list(columns, of: "s")) \
      FROM \(source) CROSS JOIN \(below) AS s ON \(sameKey("s", "i")) WHERE \(images.condition)\(condition) \
      AND NOT EXISTS (SELECT 1 FROM \(pending) AS p WHERE \(sameKey("p", "i")))
      """
    }
    // A row below that has expired is deleted if its unique value was taken.
    return [note(lower, "")] + (table.expires ? [note(expired, " AND NOT (\(images.isThere))")] : []) + [
      """
      DELETE FROM \(pending) WHERE \(Self.number) IN \
      (SELECT p.\(Self.number) FROM \(source) CROSS JOIN \(pending) AS p ON \(sameKey("p", "i")) WHERE \(images.condition))
      """,
      """
      INSERT INTO \(pending) (\(Self.row), \(Self.state), \(list(keys))) SELECT b.\(Self.row), 1, \(list(keys, of: "i")) \
      FROM \(source) CROSS JOIN \(base) AS b ON \(sameKey("b", "i")) WHERE \(images.condition) AND NOT (\(images.isThere))
      """,
    ]
  }

  /// Returns SQL that applies the rows of the images to the layer. A row that returns to its saved state no longer has
  /// unsaved changes, unless it refers to a deleted row: the file's delete rules would reach it.
  func restore(_ images: RowImages) -> [String] {
    let source = "\(images.table) AS i"
    return [
      """
      INSERT INTO \(pending) (\(Self.row), \(Self.state), \(list(columns))) SELECT b.\(Self.row), 0, \(list(columns, of: "i")) \
      FROM \(source) LEFT JOIN \(base) AS b ON \(sameKey("b", "i")) \
      WHERE \(images.condition) AND \(images.isThere) \
      AND (b.\(Self.clock) IS NULL OR NOT (\(sameValues("b", "i"))) OR \(refersToDeleted("i")))
      """,
      """
      DELETE FROM \(base) WHERE \(Self.number) IN (SELECT b.\(Self.number) FROM \(source) CROSS JOIN \(base) AS b ON \(sameKey("b", "i")) \
      WHERE \(images.condition) AND NOT EXISTS (SELECT 1 FROM \(pending) AS p WHERE \(sameKey("p", "i"))))
      """,
    ]
  }

  /// Returns SQL that swaps the rows of a step with those of the layer, to undo or redo the step: the deletions of all
  /// tables first, then the rest.
  func exchange(_ number: Int) -> (removing: [String], restoring: [String]) {
    let images = RowImages.step(number, of: self)
    return (
      record(images, inStep: "0") + remove(images),
      restore(images) + [
        "DELETE FROM \(history) WHERE \(Self.stepNumber) = \(number)",
        "UPDATE \(history) SET \(Self.stepNumber) = \(number) WHERE \(Self.stepNumber) = 0",
      ]
    )
  }

  var clear: [String] { ["DELETE FROM \(pending)", "DELETE FROM \(base)"] }
}
