import Foundation
import Larder
import Testing

private enum DifferentRules {
  @Model
  struct Owner {
    var id: Int
    @Relationship(deleteRule: .cascade, inverse: \DifferentRules.Item.owner) var items: ToMany<DifferentRules.Item> = []
  }

  @Model
  struct Item {
    var id: Int
    @Relationship(deleteRule: .deny) var owner: ToOne<DifferentRules.Owner>
  }
}

private enum ImpossibleRule {
  @Model
  struct Owner {
    var id: Int
    @Relationship(deleteRule: .nullify, inverse: \ImpossibleRule.Item.owner) var items: ToMany<ImpossibleRule.Item> = []
  }

  @Model
  struct Item {
    var id: Int
    var owner: ToOne<ImpossibleRule.Owner>
  }
}

private enum NoInverse {
  @Model
  struct Owner {
    var id: Int
    var items: ToMany<NoInverse.Item> = []
  }

  @Model
  struct Item {
    var id: Int
    var owner: ToOne<NoInverse.Owner>
  }
}

private enum TwoParts {
  @Model
  struct Line {
    @Attribute(.primaryKey) var order: Int
    @Attribute(.primaryKey) var product: Int
  }

  @Model
  struct Note {
    var id: Int
    var line: ToOne<TwoParts.Line>
  }
}

private enum OtherForm {
  @Model
  struct Owner {
    var id: Int
    @Relationship(inverse: \OtherForm.Item.owner) var items: ToMany<OtherForm.Item> = []
    @Attribute(.iso8601) @Derived(.max(\OtherForm.Owner.items, \OtherForm.Item.day)) var lastDay: Date?
  }

  @Model
  struct Item {
    var id: Int
    var day: Date
    var owner: ToOne<OtherForm.Owner>
  }
}

@Suite("Relationships: what cannot hold is refused when the store is opened")
struct RelationshipRefusalTests {
  private func expectRefusal(
    _ model: any Model.Type, of property: String, naming words: String...,
    at location: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: StoreError.self, sourceLocation: location) {
      try Store(at: StoreFile().path, for: [model])
    }
    #expect(error?.code == .schemaMismatch, sourceLocation: location)
    #expect(error?.property == property, sourceLocation: location)
    for word in words {
      #expect(error?.message.contains(word) == true, "\(error?.message ?? "none")", sourceLocation: location)
    }
  }

  @Test("C2: two sides that name different rules")
  func differentRules() {
    expectRefusal(
      DifferentRules.Owner.self, of: "owner", naming: "Item.owner", "Owner.items", "Name the rule on one side only")
    expectRefusal(DifferentRules.Item.self, of: "owner", naming: "Name the rule on one side only")
  }

  @Test("C2: .nullify for a reference that is required")
  func impossibleRule() {
    expectRefusal(
      ImpossibleRule.Owner.self, of: "owner", naming: "Item.owner", ".nullify", "Make it ToOne<Owner>?", ".cascade")
  }

  @Test("C1: a ToMany without another side")
  func noInverse() {
    expectRefusal(NoInverse.Owner.self, of: "items", naming: "Owner.items", "@Relationship(inverse: \\Item.")
  }

  @Test("C1: a reference to a model whose key has several properties")
  func composite() {
    expectRefusal(TwoParts.Note.self, of: "line", naming: "Note.line", "Line", "a key of its own")
  }

  @Test("C6: a derived property that is kept in another form than what it is derived from")
  func otherForm() {
    expectRefusal(OtherForm.Owner.self, of: "lastDay", naming: "Owner.lastDay", "Item.day", "@Attribute(.iso8601)")
  }
}
