import Larder
import LarderTestSupport
import Testing

/// The promises of StoreReader and StoreWriter, kept by pending changes.
@Suite("Context: the promises of readers and writers", .timeLimit(.minutes(20)))
struct ContextConformanceTests {
  private func withStores(_ body: (Store) throws -> Void) throws {
    try body(try Store(inMemoryFor: ConformanceItem.self))
    try withTemporaryStore(for: ConformanceItem.self) { try body($0) }
  }

  @Test("C3: a context over stored rows reads") func readsStored() throws {
    try withStores { store in
      try store.blocking.insert(ConformanceItem.samples)
      try StoreReaderConformance.check(Context(store))
    }
  }

  @Test("C3: a context reads what is pending") func readsPending() throws {
    try withStores { store in
      let context = Context(store)
      context.insert(ConformanceItem.samples)
      try StoreReaderConformance.check(context)
      #expect(try store.blocking.count(ConformanceItem.all) == 0)
    }
  }

  @Test("C3: a context reads what is stored and what is pending as one") func readsBoth() throws {
    try withStores { store in
      var other = ConformanceItem.samples[1]
      other.title = "Milk that was"
      other.code = "X"
      try store.blocking.insert([ConformanceItem.samples[0], other, ConformanceItem(id: 9, title: "Gone milk")])
      let context = Context(store)
      context.delete(ConformanceItem.self, 9)
      context.update(ConformanceItem.samples[1])
      context.insert(ConformanceItem.samples[2])
      #expect(context.refusals.isEmpty)
      try StoreReaderConformance.check(context)
      try StoreReaderConformance.check(context.child())
      try context.save()
      try StoreReaderConformance.check(store.blocking)
    }
  }

  @Test("C3: a context writes") func writes() throws {
    try withStores { store in
      let context = Context(store)
      try StoreWriterConformance.check(context)
      #expect(try store.blocking.count(ConformanceItem.all) == 0)
      try context.save()
      #expect(!context.hasChanges)
      try StoreReaderConformance.check(store.blocking)
      try StoreWriterConformance.check(context)
    }
  }

  @Test("C3: a context writes inside of a step") func writesInStep() throws {
    try withStores { store in
      let context = Context(store)
      try context.step { try StoreWriterConformance.check(context) }
      #expect(context.undo())
      #expect(!context.hasChanges)
      #expect(!context.canUndo)
    }
  }

  @Test("C3: a child of a context writes, two deep") func childWrites() throws {
    try withStores { store in
      let context = Context(store)
      let child = context.child()
      let grandchild = child.child()
      try StoreWriterConformance.check(grandchild)
      try StoreWriterConformance.check(child)
      grandchild.rollback()
      try StoreReaderConformance.check(grandchild)
      try child.save()
      try StoreReaderConformance.check(context)
      #expect(try store.blocking.count(ConformanceItem.all) == 0)
      try context.save()
      try StoreReaderConformance.check(store.blocking)
    }
  }
}
