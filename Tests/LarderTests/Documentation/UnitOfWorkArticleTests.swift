import Foundation
import Larder
import Testing

// Not in a type of their own: the arguments of @Relationship are looked up at the level of the file.

@Model
struct Trip {
  var id: UUID = .v7()
  var name: String
}

@Model
struct Purpose {
  var id: UUID = .v7()
  @Attribute(.unique) var name: String
}

@Model
struct Expense {
  var id: UUID = .v7()
  var amount: Decimal
  var trip: ToOne<Trip>
  var purpose: ToOne<Purpose>?
  @Relationship(inverse: \Stamp.expenses) var stamps: ToMany<Stamp> = []
}

@Model
struct Stamp {
  var id: UUID = .v7()
  var name: String
  var expenses: ToMany<Expense> = []
}

@MainActor
final class TripEditor {
  let context: Context
  let expenses: LiveList<Expense>

  private(set) var shown: [Expense] = []

  init(_ trip: Trip, in store: Store) {
    context = Context(store)
    expenses = LiveList(Expense.where { $0.trip == trip }, in: context)
  }
}

extension TripEditor {
  fileprivate func follow(_ trip: Trip) async throws {
    for try await expenses in context.live(Expense.where { $0.trip == trip }) {
      show(expenses)
    }
  }

  private func show(_ expenses: [Expense]) { shown = expenses }
}

@Suite("Documentation: The unit of work")
@MainActor
struct UnitOfWorkArticleTests {
  private let store: Store
  private let trip = Trip(name: "Graz")
  private let purpose = Purpose(name: "Hotel")
  private let stamp = Stamp(name: "paid")

  init() throws {
    store = try Store(inMemoryFor: Trip.self, Purpose.self, Expense.self, Stamp.self)
  }

  private func makeExpense() throws -> Expense {
    let other = Trip(name: "Wien")
    let expense = Expense(amount: 5, trip: ToOne(other), purpose: ToOne(purpose))
    try store.blocking.write { db in
      try db.insert(other)
      try db.insert([purpose, Purpose(name: "Food")])
      try db.insert(stamp)
      try db.insert(expense)
    }
    return expense
  }

  @Test("changes are seen before they are saved")
  func saving() throws {
    var expense = try makeExpense()
    expense.trip = ToOne(trip)
    let context = Context(store)
    context.insert(trip)
    context.update(expense)
    context.delete(purpose)

    let expenses = try context.fetch(Expense.where { $0.trip == trip })

    #expect(expenses.count == 1)
    #expect(expenses.first?.purpose == nil)
    #expect(try store.blocking.count(Trip.all) == 1)

    try context.save()

    #expect(try store.blocking.count(Expense.where { $0.trip == trip && $0.purpose == nil }) == 1)
  }

  @Test("what cannot be kept is a refusal")
  func refusals() throws {
    _ = try makeExpense()
    let context = Context(store)

    context.insert(Purpose(name: "Food"))  // the name is unique, and taken
    let problems = context.refusals.map { "\($0)" }
    context.undo()  // takes the step back, and the refusal with it

    #expect(problems.count == 1)
    #expect(context.refusals.isEmpty)
  }

  @Test("what is pending can be listed and given up")
  func changes() throws {
    let expense = try makeExpense()
    let context = Context(store)
    context.delete(expense)
    var shown = 0
    func show(_ inserted: [Expense], _ updated: [Expense], _ deleted: [Expense]) {
      shown = inserted.count + updated.count + deleted.count
    }

    if context.hasChanges {
      show(context.inserted(Expense.self), context.updated(Expense.self), context.deleted(Expense.self))
    }
    context.rollback()

    #expect(shown == 1)
    #expect(!context.hasChanges)
  }

  @MainActor
  @Test("a loop and a list show what is not saved", .timeLimit(.minutes(20)))
  func following() async throws {
    try await store.insert(trip)
    let editor = TripEditor(trip, in: store)
    try await editor.expenses.load()
    #expect(editor.expenses.isEmpty)
    let task = Task { try await editor.follow(trip) }

    editor.context.insert(Expense(amount: 5, trip: ToOne(trip)))
    while editor.shown.isEmpty || editor.expenses.isEmpty { await Task.yield() }
    #expect(editor.shown.map(\.amount) == [5])
    #expect(editor.expenses.map(\.amount) == [5])
    #expect(try await store.count(Expense.all) == 0)

    try await editor.expenses.insert(Expense(amount: 7, trip: ToOne(trip)))
    while editor.shown.count < 2 { await Task.yield() }
    #expect(try await store.count(Expense.all) == 0)
    try editor.context.save()
    #expect(try await store.count(Expense.all) == 2)
    task.cancel()
    try await task.value
  }

  @Test("several verbs are one step")
  func steps() throws {
    var expense = try makeExpense()
    expense.id = .v7()
    let context = Context(store)

    try context.step {
      context.insert(expense)
      try context.link(expense, \.stamps, stamp)
    }
    context.undo()
    context.redo()

    #expect(try context.count(Expense.where { $0.stamps.contains { $0.name == "paid" } }) == 1)
  }

  @Test("a policy merges what somebody else changed")
  func merging() throws {
    var expense = try makeExpense()

    let context = Context(store, mergePolicy: .preferContext)

    _ = try context.fetch(Expense.all)
    try store.blocking.updateAll(Expense.all) { $0.amount.set(7) }
    expense.purpose = nil
    context.update(expense)
    try context.save()
    #expect(try store.blocking.first(Expense.all)?.amount == 7)
  }

  @Test("a child saves into its parent")
  func children() throws {
    var expense = try makeExpense()
    expense.amount = 9
    let context = Context(store)

    let child = context.child()
    child.update(expense)
    try child.save()  // into the context, as one step
    try context.save()  // into the store

    #expect(try store.blocking.first(Expense.all)?.amount == 9)
  }
}
