/// Says how a model is related to another: the other side, what becomes of its rows when a row is deleted, and whether they are kept in order.
///
/// ```swift
/// @Model
/// struct Account {
///   var id: UUID = .v7()
///   @Relationship(deleteRule: .cascade, inverse: \Cost.account) var costs: ToMany<Cost> = []
/// }
/// ```
///
/// The inverse is named on one side only. A ``ToOne`` needs `@Relationship` only where its delete rule is not the default.
///
/// - Parameters:
///   - deleteRule: What becomes of the rows that refer to a row when it is deleted. By default ``DeleteRule/deny`` where the reference is required,
///     and ``DeleteRule/nullify`` where it is optional.
///   - inverse: The property of the other model that is the other side.
///   - ordered: Whether a ``ToMany`` keeps the order that the user gave.
@attached(peer)
public macro Relationship(deleteRule: DeleteRule? = nil, inverse: AnyKeyPath? = nil, ordered: Bool = false) =
  #externalMacro(module: "LarderMacros", type: "RelationshipMacro")

/// Keeps a property in step with the rows of a relationship: their number, or the sum, the least or the greatest value of a property of theirs.
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
/// Triggers in the file keep it, whoever writes. Saving a value never writes it, and reading it costs nothing. Added to a model whose rows are
/// stored already, it is computed when the store is opened.
@attached(peer)
public macro Derived<Output>(_ derivation: Derivation<Output>) = #externalMacro(module: "LarderMacros", type: "DerivedMacro")

/// Lets a ``ToMany`` know whose rows it has. `@Model` attaches it; there is no need to write it.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_))
public macro _RelatedRows() = #externalMacro(module: "LarderMacros", type: "RelatedRowsMacro")
