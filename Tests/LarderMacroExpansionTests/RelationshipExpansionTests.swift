import Testing

@Suite("What @Model writes for relationships")
struct RelationshipExpansionTests {
  @Test("a ToOne is a column that reads and binds a reference")
  func references() {
    expectLines(
      #"let account = Larder.ToOneColumn(\Cost.account, "account", column: "account_id")"#,
      #"let category = Larder.ToOneColumn(\Cost.category, "category")"#,
      #"Larder.Property(columns.account, .unique, originalName: "wallet"),"#,
      "Larder.Property(columns.category, deleteRule: .nullify),",
      "self.init(id: try row.next(), account: try row.nextReference(), category: try row.nextReference(), payer: try row.nextReference())",
      "try row.bind(reference: self.account)",
      "try row.bind(reference: self.category)",
      "try row.bind(reference: self.payer)",
      in: """
        @Model struct Cost {
          var id: Int
          @Attribute(.unique, name: "account_id", originalName: "wallet") var account: ToOne<Account>
          @Relationship(deleteRule: .nullify) var category: Larder.ToOne<Category>?
          var payer: Optional<ToOne<Person>>
        }
        """)
  }

  @Test("a ToMany has no column, and its schema entry says the relationship and no default")
  func rows() {
    expectLines(
      #"let costs = Larder.ToManyColumn(\Account.costs, "costs")"#,
      #"Larder.Property(columns.costs, deleteRule: .cascade, inverse: \Cost.account, ordered: true),"#,
      "Larder.Property(columns.tags),",
      "self.init(id: try row.next())",
      in: #"""
        @Model struct Account {
          var id: Int
          @Relationship(deleteRule: .cascade, inverse: \Cost.account, ordered: true) var costs: ToMany<Cost> = []
          var tags: Larder.ToMany<Tag> = []
        }
        """#)
    let expansion = Expansion(of: "@Model struct Account { var id: Int; var tags: ToMany<Tag> = [] }")
    #expect(!expansion.text.contains("row.bind(self.tags)"))
    #expect(!expansion.text.contains("tags: try row"))
  }

  @Test("what is derived is read and never written")
  func derived() {
    expectLines(
      #"Larder.Property(columns.balance, derived: .sum(\Account.costs, \Cost.amount), default: .constant(0)),"#,
      #"Larder.Property(columns.last, derived: .max(\Account.costs, \Cost.day)),"#,
      "self.init(id: try row.next(), balance: try row.next(), last: try row.next())",
      in: derivedModel)
    #expect(!Expansion(of: derivedModel).text.contains("row.bind(self.balance)"))
    #expect(!Expansion(of: derivedModel).text.contains("row.bind(self.last)"))
  }

  private var derivedModel: String {
    #"""
    @Model struct Account {
      var id: Int
      @Derived(.sum(\Account.costs, \Cost.amount)) var balance: Decimal = 0
      @Derived(.max(\Account.costs, \Cost.day)) var last: Date?
    }
    """#
  }

  @Test("a key is read as it is bound, in each of its forms")
  func keys() {
    expectLines(
      "ID(order: try row.nextReference(), line: try row.next())", "try row.bind(reference: key.order)",
      "try row.bind(key.line)",
      in:
        "@Model struct Line { @Attribute(.primaryKey) var order: ToOne<Order>; @Attribute(.primaryKey) var line: Int }")
    expectLines(
      "var id: ToOne<Order> { order }", "try row.bind(reference: key)", "try row.nextReference()",
      in: "@Model struct Receipt { @Attribute(.primaryKey) var order: ToOne<Order> }")
  }

  @Test("a ToMany is kept beside accessors that know whose rows it has")
  func accessors() {
    expectLines(
      "@storageRestrictions(initializes: _costs)", "_costs = initialValue",
      "_costs.owned(by: self, Self.columns.costs)", "_costs = newValue",
      "private var _costs: ToMany<Cost> = []",
      in: "struct Account { @_RelatedRows var costs: ToMany<Cost> = [] }")
  }
}
