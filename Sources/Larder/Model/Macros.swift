/// Declares a struct as a model, whose values are rows of a table that Larder creates and migrates.
///
/// ```swift
/// @Model
/// struct Note {
///   var id: UUID = .v7()
///   var title: String
///   var body: String = ""
///   @Embedded var font: Font = Font()
///   @Attribute(.indexed) var modifiedAt: Date = .now
///   @Transient var isSelected = false
/// }
/// ```
///
/// Each stored property is a column of the same name, in the order of declaration. Computed and static properties
/// aren't stored. The key is the property `id`, or the properties marked ``AttributeOption/primaryKey``; it can't be
/// optional. If the key has another name, the macro also generates `id`, and for a composite key the type `ID`. An
/// initial value also fills the column in rows that were stored before the property was added.
///
/// The macro generates a nonisolated conformance to ``Model``, whatever the module's default isolation is, and keeps
/// the memberwise initializer. Declarations that can't be stored are compile-time errors with a remedy: a class, a
/// struct with type parameters, a `let` with a value, a `lazy` property, a property within `#if`.
///
/// - Parameters:
///   - tableName: The name of the table, if it differs from the struct's. A nonempty string literal that doesn't begin
///     with `sqlite_` or `_larder`.
///   - expires: Whether rows can expire, which makes the struct an ``ExpiringModel``; a literal `true` or `false`.
///   - syncs: Whether rows take part in sync; a literal `true` or `false`. With `false` they stay on this device.
@attached(
  extension, conformances: Model, Identifiable, ExpiringModel, CustomReflectable,
  names: named(Columns), named(columns), named(schema), named(init(from:)), named(encode(to:)), named(bind(key:to:)),
  named(key(from:)), named(id),
  named(ID), named(CodingKeys), named(customMirror)
)
@attached(memberAttribute)
public macro Model(_ tableName: String? = nil, expires: Bool = false, syncs: Bool = true) =
  #externalMacro(module: "LarderMacros", type: "ModelMacro")

/// Declares a struct that models can embed: each of its properties becomes a column of the model's table.
///
/// ```swift
/// @Embeddable
/// struct Font {
///   var name = "Helvetica"
///   var size: Double = 12
/// }
///
/// @Model
/// struct Note {
///   var id: UUID = .v7()
///   @Embedded var font: Font = Font()
/// }
///
/// let large = Note.where { $0.font.size > 20 }
/// ```
///
/// The columns are named by both properties, here `font_name` and `font_size`. A property needs an explicit type, or a
/// literal or a call of a type's initializer as its value, such as `Color()`. A struct can embed others with
/// ``Embedded()``; keys belong to the model.
@attached(
  extension, conformances: Embeddable, names: named(Columns), named(properties), named(init(from:)), named(encode(to:)))
public macro Embeddable() = #externalMacro(module: "LarderMacros", type: "EmbeddableMacro")

/// Sets how a property of a model is stored: as a key, unique, indexed, searchable, or under another name.
///
/// ```swift
/// @Model("Orders")
/// struct Order {
///   @Attribute(.primaryKey, name: "OrderID") var orderID: Int
///   @Attribute(.unique) var number: String
///   @Attribute(.indexed, originalName: "date") var placedAt: Date
///   @Attribute(.searchable) var remarks: String = ""
///   @Attribute(.iso8601) var shippedAt: Date?
/// }
/// ```
///
/// - Parameters:
///   - options: ``AttributeOption`` values, each written out. Several ``AttributeOption/primaryKey`` properties form
///     one composite key.
///   - name: The name of the column, if it differs from the property's. SQLite ignores its case.
///   - originalName: The former name of the column; the first one if it had several. Opening a store renames the column,
///     and keeps its values.
@attached(peer)
public macro Attribute(_ options: AttributeOption..., name: String? = nil, originalName: String? = nil) =
  #externalMacro(module: "LarderMacros", type: "AttributeMacro")

/// Stores the properties of an ``Embeddable()`` struct as columns of the model, for use in queries and indexes.
///
/// ```swift
/// @Embeddable
/// struct Address {
///   var street: String
///   @Attribute(.indexed) var city: String
/// }
///
/// @Model
/// struct Customer {
///   var id: UUID = .v7()
///   @Embedded var address: Address
/// }
///
/// let parisians = Customer.where { $0.address.city == "Paris" }
/// ```
///
/// The property needs an explicit type, which can't be optional. Without `@Embedded`, a `Codable` struct is stored as
/// JSON in one column.
@attached(peer)
public macro Embedded() = #externalMacro(module: "LarderMacros", type: "EmbeddedMacro")

/// Excludes a property from storage: it has no column, and has its default value in every model that is read.
///
/// ```swift
/// @Model
/// struct Note {
///   var id: UUID = .v7()
///   var title: String
///   @Transient var isSelected = false
///   @Transient var preview: Image?
/// }
/// ```
@attached(peer)
public macro Transient() = #externalMacro(module: "LarderMacros", type: "TransientMacro")
