public import Foundation

/// Valid archives whose containers are in one another, each with one element.
public struct NestedArchive: Sendable {
  public enum Format: String, CaseIterable, Sendable {
    case own, keyed, xml
  }

  public enum Container: String, CaseIterable, Sendable {
    case list, dictionary
    /// An object of a class; in own archives, a dictionary.
    case object
    /// A reference to a reference; in own archives, an array.
    case reference
  }

  /// The class of objects.
  public static let className = "Level"
  /// The key of the only entry of a dictionary or an object.
  public static let key = "next"

  public let format: Format
  public let container: Container
  public let levels: Int

  public init(_ format: Format, of container: Container, levels: Int) {
    self.format = format
    self.container = container
    self.levels = levels
  }

  /// The archive; an own one has this tag.
  public func data(tag: String) throws -> Data {
    switch format {
    case .own: try Mutation.archive(of: payload(), tag: tag)
    case .keyed: keyedArchive()
    case .xml: xml()
    }
  }

  private func payload() -> Data {
    var builder = BinaryListBuilder()
    // The payload is an array of the value.
    builder.add(.array([1]))
    let key = levels + 2
    for level in 1...levels {
      switch container {
      case .list, .reference: builder.add(.array([level + 1]))
      case .dictionary, .object: builder.add(.dictionary([(key, level + 1)]))
      }
    }
    builder.add(.null)
    builder.add(.text(Self.key))
    return builder.list()
  }

  /// The objects of a keyed archive: each level refers to the next one; then null, the key and the class.
  private func keyedArchive() -> Data {
    BinaryListBuilder.keyedArchive { builder in
      let names = ["$class", "$classname", "NS.objects", "NS.keys", Self.key, className]
      let texts = names.map { builder.add(.text($0)) }
      let (classReference, keyReference) = (builder.add(.uid(levels + 3)), builder.add(.uid(levels + 2)))
      let keys = builder.add(.array([keyReference]))
      return (1...levels).map { level in
        let next = builder.add(.uid(level + 1))
        switch container {
        case .list:
          return builder.add(.dictionary([(texts[0], classReference), (texts[2], builder.add(.array([next])))]))
        case .dictionary:
          return builder.add(
            .dictionary([(texts[0], classReference), (texts[3], keys), (texts[2], builder.add(.array([next])))]))
        case .object: return builder.add(.dictionary([(texts[0], classReference), (texts[4], next)]))
        case .reference: return next
        }
      } + [builder.add(.uid(0)), texts[4], builder.add(.dictionary([(texts[1], texts[5])]))]
    }
  }

  private func xml() -> Data {
    func uid(_ number: Int) -> String { "<dict><key>CF$UID</key><integer>\(number)</integer></dict>" }
    func object(_ content: String) -> String { "<dict><key>$class</key>\(uid(levels + 3))\(content)</dict>" }
    func array(_ number: Int, for key: String) -> String { "<key>\(key)</key><array>\(uid(number))</array>" }
    var text =
      "<plist><dict><key>$archiver</key><string>NSKeyedArchiver</string><key>$top</key><dict><key>root</key>\(uid(1))</dict>"
    text += "<key>$objects</key><array><string>$null</string>"
    for level in 1...levels {
      switch container {
      case .list: text += object(array(level + 1, for: "NS.objects"))
      case .dictionary: text += object(array(levels + 2, for: "NS.keys") + array(level + 1, for: "NS.objects"))
      case .object: text += object("<key>\(Self.key)</key>\(uid(level + 1))")
      case .reference: text += uid(level + 1)
      }
    }
    text += "\(uid(0))<string>\(Self.key)</string><dict><key>$classname</key><string>\(className)</string></dict>"
    return Data((text + "</array></dict></plist>").utf8)
  }

  private var className: String {
    switch container {
    case .list: "NSArray"
    case .dictionary: "NSDictionary"
    case .object, .reference: Self.className
    }
  }
}
