import Larder

/// Creates collections of documents that have come, some at once.
final class CollectionArrival {
  /// Whether collections are being created all of which are fitted afterwards.
  private(set) var isUnderWay = false

  static func of(_ connection: ModuleConnection) -> CollectionArrival {
    connection.state(CollectionArrival.self, CollectionArrival())
  }

  /// Creates collections whose tracking is still to be fitted. In a transaction of the caller's.
  ///
  /// - Parameter names: The names of the collections.
  /// - Returns: Whether there are any: a table that isn't a collection may have the name.
  func create(_ names: [String], _ connection: ModuleConnection) throws -> Bool {
    isUnderWay = true
    defer { isUnderWay = false }
    var areNew = false
    for name in names { areNew = try connection.prepareCollection(name) || areNew }
    return areNew
  }
}
