/// A value of a row that depends on the rows before it in an order.
struct WindowFunction: Sendable, Hashable {
  enum Kind: String, Sendable, Hashable {
    case rank, sum
  }

  let kind: Kind
  /// The value that is summed.
  var argument: SQLNode?
  /// The order of the rows.
  var order: SQLNode
  var isDescending: Bool
  /// The value that the rows of one window share; nil for all rows.
  var partition: SQLNode?

  /// The order in which its values compare.
  var resultOrder: ValueOrder { argument?.order ?? .stored }

  var nodes: [SQLNode] { [argument, order, partition].compactMap(\.self) }

  func replacing(_ replace: (SQLNode) throws -> SQLNode) rethrows -> WindowFunction {
    var function = self
    function.argument = try argument.map(replace)
    function.order = try replace(order)
    function.partition = try partition.map(replace)
    return function
  }
}
