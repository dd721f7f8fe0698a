import SwiftSyntax

/// The access level of a declaration. `private` counts as `fileprivate`: generated code is beside the struct, not
/// inside it.
enum AccessLevel: Int, Comparable {
  case `fileprivate`
  case `internal`
  case package
  case `public`

  static func < (left: AccessLevel, right: AccessLevel) -> Bool { left.rawValue < right.rawValue }

  /// Returns the level of the modifiers, or nil if they have none. `private(set)` doesn't affect reading.
  init?(_ modifiers: DeclModifierListSyntax) {
    for modifier in modifiers where modifier.detail == nil {
      switch modifier.name.tokenKind {
      case .keyword(.private), .keyword(.fileprivate): self = .fileprivate
      case .keyword(.internal): self = .internal
      case .keyword(.package): self = .package
      case .keyword(.public), .keyword(.open): self = .public
      default: continue
      }
      return
    }
    return nil
  }

  /// The modifier as generated code writes it, with the space after it.
  var prefix: String {
    switch self {
    case .fileprivate: "fileprivate "
    case .internal: ""
    case .package: "package "
    case .public: "public "
    }
  }
}
