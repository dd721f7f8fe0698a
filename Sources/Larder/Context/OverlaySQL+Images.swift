/// Rows as they are to become: a step of the history, or what a child's layer holds.
struct RowImages {
  /// The quoted name of the table that holds them.
  let table: String
  /// Which of its rows are meant; `i` is the row.
  let condition: String
  /// Whether the row is to be there.
  let isThere: String

  static func step(_ number: Int, of sql: OverlaySQL) -> RowImages {
    RowImages(table: sql.history, condition: "i.step = \(number)", isThere: "i.is_there = 1")
  }

  static func pending(of sql: OverlaySQL) -> RowImages {
    RowImages(table: sql.pending, condition: "TRUE", isThere: "i.\(OverlaySQL.state) = 0")
  }
}

extension OverlaySQL {
  /// Writes the rows, as the layer shows them now, that the images are of, into a step of the history.
  func record(_ images: RowImages, inStep step: String) -> [String] {
    let isNew = "NOT EXISTS (SELECT 1 FROM \(history) AS h WHERE h.step = \(step) AND \(sameKey("h", "i")))"
    return [
      """
      INSERT INTO \(history) (step, is_there, \(list(columns))) SELECT \(step), 1, \(list(columns, of: "v")) \
      FROM \(images.table) AS i CROSS JOIN \(rows) AS v ON \(sameKey("v", "i")) WHERE \(images.condition) AND \(isNew)
      """,
      """
      INSERT INTO \(history) (step, is_there, \(list(keys))) SELECT \(step), 0, \(list(keys, of: "i")) \
      FROM \(images.table) AS i WHERE \(images.condition) AND \(isNew)
      """,
    ]
  }

  /// Makes the layer show what the images say is deleted: the first half of what makes it show them, for all tables before ``restore(_:)``.
  func remove(_ images: RowImages) -> [String] {
    let source = "\(images.table) AS i"
    return [
      """
      INSERT INTO \(base) (\(Self.row), \(Self.clock), \(list(columns))) SELECT \(lowerRow("s")), \(step), \(list(columns, of: "s")) \
      FROM \(source) CROSS JOIN \(lower) AS s ON \(sameKey("s", "i")) WHERE \(images.condition) \
      AND NOT EXISTS (SELECT 1 FROM \(pending) AS p WHERE \(sameKey("p", "i")))
      """,
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

  /// Makes the layer show the rows of the images. A row that becomes what it was before anything was pending is no longer pending, unless it refers to
  /// one that is deleted: the file's delete rules would reach it.
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
      DELETE FROM \(base) WHERE rowid IN (SELECT b.rowid FROM \(source) CROSS JOIN \(base) AS b ON \(sameKey("b", "i")) \
      WHERE \(images.condition) AND NOT EXISTS (SELECT 1 FROM \(pending) AS p WHERE \(sameKey("p", "i"))))
      """,
    ]
  }

  /// Exchanges the rows of a step with those that the layer shows, which undoes the step, or does it again: for all tables what is deleted, and then
  /// the rest.
  func exchange(_ number: Int) -> (removing: [String], restoring: [String]) {
    let images = RowImages.step(number, of: self)
    return (
      record(images, inStep: "0") + remove(images),
      restore(images) + ["DELETE FROM \(history) WHERE step = \(number)", "UPDATE \(history) SET step = \(number) WHERE step = 0"]
    )
  }

  var clear: [String] { ["DELETE FROM \(pending)", "DELETE FROM \(base)"] }
}
