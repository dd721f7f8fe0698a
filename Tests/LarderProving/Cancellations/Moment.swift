import LarderTestSupport
import Synchronization

/// When a task is cancelled.
enum Moment: Sendable {
  case never
  /// Before the operation begins.
  case before
  /// After the task was made; it may have begun or not.
  case afterSpin(Int)
  case afterYields(Int)
  /// In the operation's closure, where it says so; from 2 on.
  case inside(Int)
  /// On another thread, some time after the operation began (1) or its closure said so for the nth time: in a
  /// statement, a commit or a rollback.
  case beside(Int, spin: Int)
  /// As `beside`, but by a thread that watches for it, so that hardly any time passes between the two.
  case aimed(Int, spin: Int)

  /// The step that closures say last, before they return or throw: what follows is the commit or the rollback.
  static let end = 100

  static func random(using random: inout SplitMix64) -> Moment {
    // Each magnitude is as likely as another.
    let spin = Int.random(in: 0...(1 << Int.random(in: 2...15, using: &random)), using: &random)
    return switch Int.random(in: 0..<20, using: &random) {
    case 0: .never
    case 1: .before
    case 2..<4: .afterSpin(spin)
    case 4: .afterYields(Int.random(in: 0...6, using: &random))
    case 5..<8: .inside(Int.random(in: 2...7, using: &random))
    // Most calls are no closures of the user's: they begin, and that is all.
    case 8..<12: .beside(1, spin: spin)
    case 12..<14: .beside(Int.random(in: 2...7, using: &random), spin: spin)
    case 14: .aimed(Int.random(in: 1...5, using: &random), spin: spin >> 6)
    default: .aimed(end, spin: spin >> 6)
    }
  }

  /// Passes a little time without giving the thread away.
  static func spin(_ count: Int) {
    let number = Atomic<Int>(0)
    for _ in 0..<count { number.add(1, ordering: .relaxed) }
  }
}
