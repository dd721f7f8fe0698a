internal import Foundation

/// Takes the values out of a frame of rows, one after the other.
struct ValueUnpacker {
  private let columns: RowColumns
  private let count: Int
  private var (index, integer, real, length, content) = (0, 0, 0, 0, 0)

  /// Creates an unpacker.
  ///
  /// - Parameters:
  ///   - columns: The columns of the frame.
  ///   - count: The number of values.
  init(_ columns: RowColumns, count: Int) throws(BatchError.Problem) {
    guard columns.classes.count == (count + 1) / 2 else {
      throw .init("there are storage classes for \(2 * columns.classes.count) values, and there are \(count)")
    }
    guard count % 2 == 0 || columns.classes.last.map({ $0 >> 4 }) == 0 else {
      throw .init("there is a storage class after the last value")
    }
    self.columns = columns
    self.count = count
  }

  /// Returns the next value. There must be one.
  mutating func next() throws(BatchError.Problem) -> ReplicatedValue {
    let pair = columns.classes[columns.classes.startIndex + index / 2]
    defer { index += 1 }
    switch index % 2 == 0 ? pair & 0xf : pair >> 4 {
    case 0:
      return .null
    case 1:
      guard integer < columns.integers.count else { throw .init("an integer is missing") }
      defer { integer += 1 }
      return .integer(columns.integers[integer])
    case 2:
      guard real < columns.reals.count else { throw .init("a real is missing") }
      defer { real += 1 }
      return .real(Double(bitPattern: columns.reals[real]))
    case 3:
      return .text(try bytes())
    case 4:
      return .blob(try bytes())
    default:
      throw .init("value \(index) has a storage class that doesn't exist")
    }
  }

  /// Throws if values are left.
  func finish() throws(BatchError.Problem) {
    guard integer == columns.integers.count, real == columns.reals.count, length == columns.lengths.count,
      content == columns.contents.count
    else { throw .init("there are more integers, reals, lengths or bytes than values for them") }
  }

  /// The next text or blob. It is a copy, because a part of the contents would keep them all in memory.
  private mutating func bytes() throws(BatchError.Problem) -> Data {
    guard length < columns.lengths.count else { throw .init("the length of a text or blob is missing") }
    let count = Int(clamping: columns.lengths[length])
    guard count <= columns.contents.count - content else { throw .init("a text or blob is longer than the contents") }
    let start = columns.contents.startIndex + content
    length += 1
    content += count
    return columns.contents.subdata(in: start..<start + count)
  }
}
