/// Makes a struct a model: its values are rows of a table that Larder creates, fills and keeps in step with the struct.
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
/// Every stored property is a column of its own name, in the order of declaration. Computed and static properties are not stored.
/// The key is the property called `id`, or those marked ``AttributeOption/primaryKey``; it cannot be optional. Where the key has another name,
/// the macro also writes `id`, and for a key of several properties the type `ID`. An initial value fills the column in rows that were stored
/// before the property was there.
///
/// The macro writes the conformance to ``Model``, which belongs to no actor whatever the module's default is, and keeps the memberwise initializer.
/// What cannot be stored is an error when the program compiles, with the remedy: a class, a struct with type parameters, a `let` with a value,
/// a `lazy` property, a property within `#if`.
///
/// - Parameters:
///   - tableName: the table, where it is not called like the struct. Any string literal that is not empty and does not begin with `sqlite_` or
///     `_larder` will do.
///   - expires: whether rows can expire, which makes the struct an ``ExpiringModel``: `true` or `false`, written out.
@attached(
  extension, conformances: Model, Identifiable, ExpiringModel,
  names: named(Columns), named(columns), named(schema), named(init(from:)), named(encode(to:)), named(bind(key:to:)), named(key(from:)), named(id),
  named(ID)
)
@attached(memberAttribute)
public macro Model(_ tableName: String? = nil, expires: Bool = false) = #externalMacro(module: "LarderMacros", type: "ModelMacro")

/// Makes a struct one that models can embed: each of its properties becomes a column of the model's table.
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
/// The columns are called after both properties, here `font_name` and `font_size`. A property needs a written type, or a plain literal or a call
/// of a type's initializer as its value, such as `Color()`. A struct may embed others with ``Embedded()``; keys belong to the model.
@attached(extension, conformances: Embeddable, names: named(Columns), named(properties), named(init(from:)), named(encode(to:)))
public macro Embeddable() = #externalMacro(module: "LarderMacros", type: "EmbeddableMacro")

/// Says how a property of a model is stored: as a key, uniquely, indexed, searchable, under another name.
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
///   - options: ``AttributeOption`` values, each written out. Several ``AttributeOption/primaryKey`` properties make one key.
///   - name: the column, where it is not called like the property. SQLite does not tell upper from lower case in it.
///   - originalName: what the column was called before. Opening a store renames a column of that name, and keeps what it holds.
@attached(peer)
public macro Attribute(_ options: AttributeOption..., name: String? = nil, originalName: String? = nil) =
  #externalMacro(module: "LarderMacros", type: "AttributeMacro")

/// Stores the properties of an ``Embeddable()`` struct as columns of the model that holds it, where queries and indexes reach them.
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
/// The property's type has to be written, and cannot be optional. Without `@Embedded` any `Codable` struct is stored too, as JSON in one column.
@attached(peer)
public macro Embedded() = #externalMacro(module: "LarderMacros", type: "EmbeddedMacro")

/// Keeps a property of a model out of the store: it has no column, and starts with its default value in every model that is read.
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
