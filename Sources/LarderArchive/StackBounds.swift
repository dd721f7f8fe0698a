#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The bounds of a thread's stack, so that deep recursion throws an error rather than crashing.
///
/// The limits of depth bound the recursion, but not the cost of each level, which depends on the types that are encoded
/// and decoded, and on the thread.
struct StackBounds: Sendable {
  private let low: UInt
  private let high: UInt
  /// The space that recursion leaves for calls that don't recurse.
  private let reserve: UInt

  private init(low: UInt, size: UInt) {
    self.low = low
    high = low + size
    reserve = min(96 << 10, size / 4)
  }

  /// Whether less than the reserve is left; always false on another thread than the one whose bounds these are.
  @inline(never)
  var isUsedUp: Bool { isUsedUp(to: reserve) }

  /// Whether even half of the reserve is used.
  @inline(never)
  var isOverrun: Bool { isUsedUp(to: reserve / 2) }

  @inline(__always)
  private func isUsedUp(to reserve: UInt) -> Bool {
    var here: UInt8 = 0
    let address = withUnsafeMutablePointer(to: &here) { UInt(bitPattern: $0) }
    return address < low &+ reserve && address >= low && address < high
  }

  /// The number of levels that a tree may have to be released on what is left of the stack: releasing a tree recurses,
  /// and can't throw. `Int.max` on another thread than the one whose bounds these are.
  var levelsOfTree: Int {
    var here: UInt8 = 0
    let address = withUnsafeMutablePointer(to: &here) { UInt(bitPattern: $0) }
    guard address >= low, address < high else { return .max }
    return isUsedUp ? 0 : Int((address - low - reserve) / Self.bytesPerLevel)
  }

  /// A few times what releasing a level takes: arrays in one another overflow the stack at 150.
  private static let bytesPerLevel: UInt = 512

  /// Throws ``ArchiveError`` `.limitExceeded` if less than the reserve is left.
  @inline(__always)
  func check() throws {
    if isUsedUp { throw Self.usedUp }
  }

  static var usedUp: ArchiveError {
    ArchiveError(
      .limitExceeded,
      "The value is nested deeper than this thread's stack has room for. Use a thread with a larger stack, or break a circle of references."
    )
  }

  /// The bounds of the calling thread's stack, requested from the system once for each thread.
  static var current: StackBounds {
    #if os(Windows)
    return StackBounds(low: 0, size: 0)
    #else
    guard let key else { return bounds() }
    if let known = pthread_getspecific(key) { return known.assumingMemoryBound(to: StackBounds.self).pointee }
    let bounds = bounds()
    let place = UnsafeMutablePointer<StackBounds>.allocate(capacity: 1)
    place.initialize(to: bounds)
    if pthread_setspecific(key, place) != 0 { place.deallocate() }
    return bounds
    #endif
  }

  #if !os(Windows)
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    #if canImport(Darwin)
    return pthread_key_create(&key, { $0.deallocate() }) == 0 ? key : nil
    #else
    return pthread_key_create(&key, { $0?.deallocate() }) == 0 ? key : nil
    #endif
  }()

  private static func bounds() -> StackBounds {
    #if canImport(Darwin)
    let size = UInt(pthread_get_stacksize_np(pthread_self()))
    return StackBounds(low: UInt(bitPattern: pthread_get_stackaddr_np(pthread_self())) - size, size: size)
    #else
    // The call initializes them.
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    defer { attributes.deallocate() }
    guard let getAttributes, getAttributes(pthread_self(), attributes) == 0 else { return StackBounds(low: 0, size: 0) }
    defer { pthread_attr_destroy(attributes) }
    var low: UnsafeMutableRawPointer?
    var size = 0
    guard pthread_attr_getstack(attributes, &low, &size) == 0 else { return StackBounds(low: 0, size: 0) }
    return StackBounds(low: UInt(bitPattern: low), size: UInt(size))
    #endif
  }

  #if !canImport(Darwin)
  /// The C function `pthread_getattr_np`, whose declaration needs `_GNU_SOURCE`. Source of the signature:
  /// pthread_getattr_np(3).
  private static let getAttributes: (@convention(c) (pthread_t, UnsafeMutablePointer<pthread_attr_t>) -> Int32)? = {
    guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "pthread_getattr_np") else { return nil }
    return unsafeBitCast(symbol, to: (@convention(c) (pthread_t, UnsafeMutablePointer<pthread_attr_t>) -> Int32).self)
  }()
  #endif
  #endif
}
