import Larder
import LarderTestSupport

extension ExpiryRun {
  /// Changes rows in a context, perhaps in its child, and saves them.
  func changeInContext() throws {
    let store = places[0].store
    let before = world
    stored = Set(world.permits.keys)
    let context = Context(store)
    let child = random.once(in: 3) ? context.child() : nil
    note("a context begins\(child == nil ? "" : ", with a child")")
    var mayBeRefused = false
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let beforeChange = world
      do {
        try make(0, child ?? context, isLast: false)
      } catch is ExpiryWorld.Refusal {
        world = beforeChange
      }
      if beforeChange.loses(expiredAt: places[0].clock.now, to: world, since: before) { mayBeRefused = true }
      try compareAnswers(places[0], child ?? context, some: true)
    }
    do {
      try child?.save()
      try context.save()
    } catch let error as StoreError {
      guard world.hasDanglingReferences || mayBeRefused && error.code == .referenced else {
        throw Difference(description: "the context throws \(error)")
      }
      world = before
      note("the context is refused")
      return try reconcile(places[0])
    }
    note("the context is saved")
    try reconcile(places[0], contextFrom: before)
    guard !world.hasDanglingReferences else { throw Difference(description: "a reference to no row was saved") }
  }
}
