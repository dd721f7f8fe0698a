extension Studio {
  /// Who refuses requests of strangers, and of other sites in the user's browser.
  public enum Access: Sendable {
    /// The studio. It answers whoever has its token, and only on this machine's own names.
    case token
    /// The program, before requests reach the studio's routes. The studio answers every request.
    ///
    /// > Important: Check `Host` and `Origin` in a middleware of the router. Otherwise any site that the user visits can
    /// read the store and change it.
    case program
  }

  /// A page that leads to the studio.
  public struct Link: Encodable, Sendable {
    let title: String
    let address: String

    /// Creates a link.
    ///
    /// - Parameters:
    ///   - title: What the page is called.
    ///   - address: Its address, or its path on the same server.
    public init(title: String, address: String) {
      self.title = title
      self.address = address
    }
  }
}
