import Larder
import Synchronization

/// Live results of a store, and what they showed last.
final class LiveWatches: Sendable {
  private struct Shown {
    var books: [LibraryBook] = []
    var changed: [LibraryShelf] = []
    var passes: [Int] = []
    var papers: [String] = []
    var error: (any Error)?
  }

  private let shown = Mutex(Shown())
  private let tasks = Mutex<[Task<Void, Never>]>([])

  init(_ store: Store) {
    follow(store.live(LibraryBook.where { $0.pages > 3 }.sorted(by: \.id))) { $0.books = $1 }
    follow(store.live(LibraryPass.all.sorted(by: \.id))) { $0.passes = $1.map(\.id) }
    follow(store.documents("papers").live(sort: "key")) { $0.papers = $1.map(\.key) }
    follow(store.changes(LibraryShelf.all.sorted(by: \.id))) { $0.changed = $1.applying(to: $0.changed) }
  }

  private func follow<Sequence: AsyncSequence & Sendable>(
    _ sequence: Sequence, _ show: @escaping @Sendable (inout Shown, Sequence.Element) -> Void
  )
  where Sequence.Element: Sendable {
    let task = Task {
      do {
        for try await element in sequence { shown.withLock { show(&$0, element) } }
      } catch {
        shown.withLock { $0.error = error }
      }
    }
    tasks.withLock { $0.append(task) }
  }

  func end() async {
    let tasks = tasks.withLock { $0 }
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
  }

  /// Waits until the results show the world.
  ///
  /// - Parameter patience: How many milliseconds they are given.
  func check(_ world: World, patience: Int) async throws {
    let books = world.books.values.filter { $0.pages > 3 }.sorted { $0.id < $1.id }
    let shelves = world.shelves.keys.sorted().compactMap { world.shelf($0) }
    let (passes, papers) = (world.passes.keys.sorted(), world.papers.keys.sorted())
    for attempt in 0...patience {
      let differences = try shown.withLock { shown -> [String] in
        if let error = shown.error { throw error }
        return [
          shown.books == books ? nil : "live books are \(shown.books.map(\.id)) instead of \(books.map(\.id))",
          shown.changed == shelves ? nil : "changes lead to shelves \(shown.changed) instead of \(shelves)",
          shown.passes == passes ? nil : "live passes are \(shown.passes) instead of \(passes)",
          shown.papers == papers ? nil : "live documents are \(shown.papers) instead of \(papers)",
        ].compactMap { $0 }
      }
      if differences.isEmpty { return }
      if attempt == patience { throw Episode.Difference(description: differences.joined(separator: "; ")) }
      if attempt < 100 { await Task.yield() } else { try await Task.sleep(for: .milliseconds(1)) }
    }
  }
}
