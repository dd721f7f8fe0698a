/// Declares a relationship to another model: its inverse, its delete rule, and whether its rows are ordered.
///
/// ```swift
/// @Model
/// struct Account {
///   var id: UUID = .v7()
///   @Relationship(deleteRule: .cascade, inverse: \Cost.account) var costs: ToMany<Cost> = []
/// }
/// ```
///
/// Name the inverse on one side only. A ``ToOne`` only needs `@Relationship` if its delete rule isn't the default.
///
/// - Parameters:
///   - deleteRule: What happens to the rows that refer to a deleted row. By default ``DeleteRule/deny`` for a required
///     reference, and ``DeleteRule/nullify`` for an optional one.
///   - inverse: The property of the other model that is the other side.
///   - ordered: Whether a ``ToMany`` keeps the order of its rows.
@attached(peer)
public macro Relationship(deleteRule: DeleteRule? = nil, inverse: AnyKeyPath? = nil, ordered: Bool = false) =
  #externalMacro(module: "LarderMacros", type: "RelationshipMacro")

/// Derives a property from the rows of a relationship: their number, or the sum, the least or the greatest value of one
/// of their properties.
///
/// ```swift
/// @Model
/// struct Account {
///   var id: UUID = .v7()
///   @Relationship(inverse: \Cost.account) var costs: ToMany<Cost> = []
///   @Derived(.sum(\Account.costs, \Cost.amount)) var balance: Decimal = 0
/// }
/// ```
///
/// Triggers in the file maintain it for every kind of write. Saving a value never writes it, and reading it costs no
/// more than any column. When it is added to a model that already has rows, it is computed when the store is opened.
@attached(peer)
public macro Derived<Output>(_ derivation: Derivation<Output>) =
  #externalMacro(module: "LarderMacros", type: "DerivedMacro")

/// Tells a ``ToMany`` its owner. Attached by `@Model`; you never need to write it.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_))
public macro _RelatedRows() = #externalMacro(module: "LarderMacros", type: "RelatedRowsMacro")
