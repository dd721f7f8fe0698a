internal import Foundation

/// The columns of a frame of rows, as they are described in `sync.proto`.
///
/// They are gathered here, because the message copies a column whenever it is changed.
struct RowColumns {
  var rowShapes: [UInt32] = []
  var causalLengths: [UInt64] = []
  var insertionTimes: [Int64] = []
  var insertionReplicas: [UInt32] = []
  var deletionTimes: [Int64] = []
  var deletionReplicas: [UInt32] = []
  var writePlaces: [UInt32] = []
  var writeTimes: [Int64] = []
  var writeReplicas: [UInt32] = []
  var writeLags: [UInt64] = []
  var classes = Data()
  var integers: [Int64] = []
  var reals: [UInt64] = []
  var lengths: [UInt32] = []
  var contents = Data()
  var lossRows: [UInt32] = []
  var lossProperties: [UInt32] = []
  var lossTimes: [Int64] = []
  var lossReplicas: [UInt32] = []
  var lossDismissals: [UInt32] = []
  var contributionRows: [UInt32] = []
  var contributionProperties: [UInt32] = []
  var contributionReplicas: [UInt32] = []
  var contributionTimes: [Int64] = []
  var contributionHighs: [Int64] = []
  var contributionLows: [UInt32] = []

  init() {}

  init(_ message: WireRows) {
    rowShapes = message.rowShapes
    causalLengths = message.causalLengths
    insertionTimes = message.insertionTimes
    insertionReplicas = message.insertionReplicas
    deletionTimes = message.deletionTimes
    deletionReplicas = message.deletionReplicas
    writePlaces = message.writePlaces
    writeTimes = message.writeTimes
    writeReplicas = message.writeReplicas
    writeLags = message.writeLags
    classes = message.classes
    integers = message.integers
    reals = message.reals
    lengths = message.lengths
    contents = message.contents
    lossRows = message.lossRows
    lossProperties = message.lossProperties
    lossTimes = message.lossTimes
    lossReplicas = message.lossReplicas
    lossDismissals = message.lossDismissals
    contributionRows = message.contributionRows
    contributionProperties = message.contributionProperties
    contributionReplicas = message.contributionReplicas
    contributionTimes = message.contributionTimes
    contributionHighs = message.contributionHighs
    contributionLows = message.contributionLows
  }

  func write(to message: inout WireRows) {
    message.rowShapes = rowShapes
    message.causalLengths = causalLengths
    message.insertionTimes = insertionTimes
    message.insertionReplicas = insertionReplicas
    message.deletionTimes = deletionTimes
    message.deletionReplicas = deletionReplicas
    message.writePlaces = writePlaces
    message.writeTimes = writeTimes
    message.writeReplicas = writeReplicas
    message.writeLags = writeLags
    message.classes = classes
    message.integers = integers
    message.reals = reals
    message.lengths = lengths
    message.contents = contents
    message.lossRows = lossRows
    message.lossProperties = lossProperties
    message.lossTimes = lossTimes
    message.lossReplicas = lossReplicas
    message.lossDismissals = lossDismissals
    message.contributionRows = contributionRows
    message.contributionProperties = contributionProperties
    message.contributionReplicas = contributionReplicas
    message.contributionTimes = contributionTimes
    message.contributionHighs = contributionHighs
    message.contributionLows = contributionLows
  }

  /// How the elements of the repeated fields are encoded, by the numbers of the fields.
  static let elements: [UInt64: FieldCounts.Element] = [
    2: .field, 3: .varint, 4: .varint, 5: .varint, 6: .varint, 7: .varint, 8: .varint, 9: .varint, 10: .varint,
    11: .varint, 12: .varint, 13: .varint, 14: .varint, 15: .varint, 16: .varint, 18: .varint, 19: .fixed64,
    20: .varint, 32: .varint, 33: .varint, 34: .varint, 35: .varint, 36: .varint, 40: .varint, 41: .varint, 42: .varint,
    43: .varint, 44: .varint, 45: .varint,
  ]

  /// Throws if a message has more rows, values or names than allowed. Nothing of it is decoded.
  static func check(_ message: Data, _ limits: BatchLimits) throws(BatchError.Problem) {
    let counts = try FieldCounts(of: message, elements)
    func check(_ fields: ClosedRange<UInt64>, _ limit: Int, _ name: String) throws(BatchError.Problem) {
      for field in fields where counts[field] > limit {
        throw .init("there are \(counts[field]) \(name), and the limit is \(limit)", code: .limitExceeded)
      }
    }
    try check(2...5, limits.names, "names or shapes of rows")
    try check(6...6, limits.values, "properties")
    try check(7...12, limits.rows, "rows")
    try check(13...20, limits.values, "values")
    try check(32...36, limits.values, "lost values")
    try check(40...45, limits.values, "contributions to counters")
  }
}
