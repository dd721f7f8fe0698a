import Hummingbird
import Larder
import LarderStudio

/// The Showcase's own stores, as Studio shows them below `/studio`.
struct StudioStores {
  private let studios: [(path: String, studio: Studio)]

  /// - Parameters:
  ///   - stores: The stores, with the names that paths have and the pages that lead there.
  ///   - isWritable: Whether rows can be changed.
  init(_ stores: [(name: String, store: Store, home: Studio.Link)], isWritable: Bool) {
    studios = stores.map { name, store, home in
      (name, Studio(store: store, name: name, isWritable: isWritable, home: home))
    }
  }

  /// Adds the routes of each store to the router's root.
  ///
  /// No address has a token: the apps ask for no password either, and `SameOriginOnly` has checked `Host` and `Origin`
  /// before a request comes here.
  func addRoutes(to router: some RouterMethods<some RequestContext>) throws {
    for (path, studio) in studios { try studio.addRoutes(to: router.group(RouterPath(path)), access: .program) }
  }
}
