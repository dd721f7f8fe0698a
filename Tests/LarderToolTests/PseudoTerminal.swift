import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A terminal of a number of columns on which a process writes, and which a test reads.
final class PseudoTerminal: Sendable {
  /// What a process has as its output.
  let device: FileHandle
  private let screen: Int32

  private struct Unavailable: Error {
    let number = errno
  }

  /// - Parameter columns: The width; 0 for a terminal that doesn't know it.
  init(columns: UInt16) throws {
    var (screen, device): (Int32, Int32) = (-1, -1)
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    var modes = termios()
    guard openpty(&screen, &device, nil, nil, &size) == 0, tcgetattr(device, &modes) == 0 else { throw Unavailable() }
    // Another test's process would keep the device open.
    for descriptor in [screen, device] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    // A line feed stays one.
    modes.c_oflag &= ~tcflag_t(OPOST)
    guard tcsetattr(device, TCSANOW, &modes) == 0 else { throw Unavailable() }
    self.device = FileHandle(fileDescriptor: device, closeOnDealloc: true)
    self.screen = screen
  }

  deinit { close(screen) }

  /// Leaves the device to the process that was started on it. When that ends, so does ``next()``.
  func closeDevice() { try? device.close() }

  /// Waits for what was written; empty at the end.
  func next() -> Data {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(screen, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      // The system reports the end as an error of the device.
      return Data(buffer.prefix(max(0, count)))
    }
  }
}
