/// Finds arithmetic with decimals in SQL by hand, which SQLite would compute with binary fractions, and comparisons of
/// computed decimals, which it would compare as text.
///
/// Decimals are text to SQLite, which it compares by their column's collation, but converts to floating-point numbers
/// for `+` or `sum`. The result of a function, of `CASE` or of a subquery has no collation. Which registers of the
/// statement's program hold decimals shows in the output of EXPLAIN. Source: <https://www.sqlite.org/opcode.html>.
struct DecimalArithmetic {
  struct Instruction {
    let operation: String
    let first: Int
    let second: Int
    let third: Int
    let detail: String
    /// Flags, and the conversion before a comparison.
    let flags: Int
  }

  struct Finding: Equatable {
    enum Fault: Equatable {
      /// The operator or function computes with binary fractions.
      case arithmetic
      /// The values are compared or sorted as text, or with numbers, which are smaller than any text.
      case order
    }

    let fault: Fault
    /// The operator or function.
    let operation: String
    let origin: Origin

    var column: String { origin.column }
  }

  /// A decimal column that is text, and whether its values compare as numbers unless the SQL says otherwise: those of other
  /// programs don't.
  struct Origin: Equatable {
    let column: String
    let isCollated: Bool
  }

  /// What registers may hold when an instruction begins, on any path to it.
  private struct Registers: Equatable {
    var decimals: [Int: Origin] = [:]
    var numbers: Set<Int> = []
    var records: [Int: Record] = [:]

    /// Adds what they hold on another path. Returns whether that is new.
    mutating func merge(_ other: Registers) -> Bool {
      var merged = self
      merged.decimals.merge(other.decimals) { first, _ in first }
      merged.numbers.formUnion(other.numbers)
      merged.records.merge(other.records) { $0.merging($1) }
      guard merged != self else { return false }
      self = merged
      return true
    }

    mutating func clear(_ register: Int) {
      decimals[register] = nil
      numbers.remove(register)
    }

    mutating func move(_ first: Int, to second: Int, count: Int) {
      for offset in 0..<max(count, 0) {
        clear(second + offset)
        decimals[second + offset] = decimals[first + offset]
        if numbers.contains(first + offset) { numbers.insert(second + offset) }
        records[second + offset] = records[first + offset]
      }
    }
  }

  /// The decimals and numbers of a record, by their places.
  private struct Record: Equatable {
    var decimals: [Int: Origin] = [:]
    var numbers: Set<Int> = []
    /// Whether a number within keeps equal records in their order, as in a sort with a limit.
    var isNumbered = false

    func merging(_ other: Record) -> Record {
      Record(
        decimals: decimals.merging(other.decimals) { first, _ in first }, numbers: numbers.union(other.numbers),
        isNumbered: isNumbered || other.isNumbered)
    }
  }

  /// Whether sorts have to be in the order of decimals.
  let checksSorts: Bool
  /// Returns the decimals among the columns of a table or index, by their places.
  let decimals: (_ rootPage: Int, _ database: Int) throws -> [Int: Origin]
  private var registers = Registers()
  /// What tables hold that cursors read, whichever instruction fills them.
  private var cursors: [Int: Record] = [:]
  /// The cursors that read a temporary table which another one fills.
  private var originals: [Int: Int] = [:]
  /// The registers with the records that cursors read.
  private var contents: [Int: Int] = [:]
  /// The collations by which a temporary table is sorted.
  private var keys: [Int: [String]] = [:]
  /// The registers with numbers of records, and the cursors of the file's tables.
  private var sequences: Set<Int> = []
  private var tables: Set<Int> = []
  /// The registers with constants, which are set once behind the program.
  private var constants: Set<Int> = []
  /// The collation of the next function.
  private var collation = ""

  init(checksSorts: Bool, decimals: @escaping (_ rootPage: Int, _ database: Int) throws -> [Int: Origin]) {
    (self.checksSorts, self.decimals) = (checksSorts, decimals)
  }

  /// Returns the first fault; nil if there is none.
  mutating func finding(in program: [Instruction]) throws -> Finding? {
    // The programs of triggers follow, each with registers of its own.
    let end = program.dropFirst().firstIndex { $0.operation == "Init" } ?? program.endIndex
    let program = Array(program[..<end])
    try open(program)
    let jumps = ProgramJumps(program)
    var before = cursors
    repeat {
      before = cursors
      if let finding = follow(program, jumps) { return finding }
      // Temporary tables hold what is added to them further down.
    } while before != cursors
    return nil
  }

  private mutating func open(_ program: [Instruction]) throws {
    let start = program.lastIndex { $0.operation == "Transaction" } ?? program.endIndex
    constants = Set(program[start...].map(\.second))
    for step in program {
      switch step.operation {
      case "OpenRead", "OpenWrite", "ReopenIdx":
        let found = Record(decimals: try decimals(step.second, step.third))
        tables.insert(step.first)
        cursors[step.first] = cursors[step.first, default: Record()].merging(found)
      case "Sequence": sequences.insert(step.second)
      case "OpenPseudo": contents[step.first] = step.second
      case "OpenDup": originals[step.first] = original(step.second)
      case "SorterOpen", "OpenEphemeral", "OpenAutoindex": keys[step.first] = Self.collations(step.detail)
      default: break
      }
    }
  }

  /// Follows all paths until they add nothing.
  private mutating func follow(_ program: [Instruction], _ jumps: ProgramJumps) -> Finding? {
    var states: [Int: Registers] = [0: Registers()]
    var waiting = [0]
    while let place = waiting.popLast(), let state = states[place] {
      registers = state
      collation = place > 0 && program[place - 1].operation == "CollSeq" ? program[place - 1].detail : ""
      if let finding = follow(program[place]) { return finding }
      for next in jumps.places(after: place) where program.indices.contains(next) {
        if states[next] == nil {
          states[next] = registers
          waiting.append(next)
        } else if states[next]?.merge(registers) == true {
          waiting.append(next)
        }
      }
    }
    return nil
  }

  private mutating func follow(_ step: Instruction) -> Finding? {
    switch step.operation {
    case "Column":
      let record = contents[step.first].map { registers.records[$0] } ?? cursors[original(step.first)]
      registers.clear(step.third)
      registers.decimals[step.third] = record?.decimals[step.second]
      if record?.numbers.contains(step.second) == true { registers.numbers.insert(step.third) }
    case "Copy": registers.move(step.first, to: step.second, count: step.third + 1)
    case "SCopy", "IntCopy": registers.move(step.first, to: step.second, count: 1)
    case "Move": registers.move(step.first, to: step.second, count: step.third)
    case "AggValue": registers.move(step.first, to: step.third, count: 1)
    case "MakeRecord": registers.records[step.third] = record(step)
    case "Insert", "IdxInsert", "SorterInsert": return insert(step)
    case "SorterData", "RowData": registers.records[step.second] = cursors[original(step.first)]
    case "AggStep", "AggStep1", "AggInverse", "Function", "PureFunc": return call(step)
    // The operands are the first and the second; a negation subtracts from zero.
    case "Add", "Subtract", "Multiply", "Divide", "Remainder":
      if let origin = registers.decimals[step.first] ?? registers.decimals[step.second] {
        let operation = Self.operators[step.operation] ?? step.operation
        return Finding(fault: .arithmetic, operation: operation, origin: origin)
      }
      registers.clear(step.third)
      registers.numbers.insert(step.third)
    case "Lt", "Le", "Gt", "Ge", "Eq", "Ne": return compare(step)
    case "SeekLT", "SeekLE", "SeekGE", "SeekGT", "IdxLT", "IdxLE", "IdxGE", "IdxGT": return seek(step)
    case "Cast": if step.second != Self.textAffinity { registers.clear(step.first) }
    case "Concat", "BitAnd", "BitOr", "ShiftLeft", "ShiftRight", "And", "Or": registers.clear(step.third)
    case "Integer", "Int64", "Real":
      registers.clear(step.second)
      registers.numbers.insert(step.second)
    case "String", "String8", "Blob", "Variable", "Rowid", "IdxRowid", "NewRowid", "Count", "Sequence", "Not", "BitNot",
      "IsTrue", "Param":
      registers.clear(step.second)
    case "Null": for register in step.second...max(step.second, step.third) { registers.clear(register) }
    default: break
    }
    return nil
  }

  private func record(_ step: Instruction) -> Record {
    var record = Record()
    record.isNumbered = sequences.contains { $0 >= step.first && $0 < step.first + step.second }
    for field in 0..<step.second {
      record.decimals[field] = registers.decimals[step.first + field]
      // Text columns convert numbers.
      let isText = step.detail.dropFirst(field).first == "B"
      if !isText, registers.numbers.contains(step.first + field) { record.numbers.insert(field) }
    }
    return record
  }

  private mutating func insert(_ step: Instruction) -> Finding? {
    guard let record = registers.records[step.second], !tables.contains(step.first) else { return nil }
    cursors[original(step.first)] = cursors[original(step.first), default: Record()].merging(record)
    // Other temporary tables only tell equal values from others.
    guard checksSorts, step.operation == "SorterInsert" || record.isNumbered, let keys = keys[step.first] else {
      return nil
    }
    for (place, collation) in keys.enumerated() {
      guard let origin = record.decimals[place] else { continue }
      guard collation == Collation.decimal.rawValue, !record.numbers.contains(place) else {
        return Finding(fault: .order, operation: "order by", origin: origin)
      }
    }
    return nil
  }

  /// Follows a comparison, which sees text and numbers if no side is converted.
  private func compare(_ step: Instruction) -> Finding? {
    let sides = [step.first, step.third]
    guard let origin = sides.lazy.compactMap({ registers.decimals[$0] }).first else { return nil }
    let affinity = step.flags & 0x47
    let isDecimal = isDecimalCollation(step.detail)
    let isConverted = affinity == Self.textAffinity || !sides.contains(where: registers.numbers.contains)
    guard affinity <= Self.textAffinity, !isDecimal || !isConverted else { return nil }
    return Finding(fault: .order, operation: Self.operators[step.operation] ?? step.operation, origin: origin)
  }

  /// Follows a search in an index, which compares by the collations of its columns. The fourth operand is their number.
  private func seek(_ step: Instruction) -> Finding? {
    guard tables.contains(step.first), let record = cursors[step.first] else { return nil }
    let compared = (0..<(Int(step.detail) ?? 0)).lazy.compactMap { record.decimals[$0] }
    return compared.first { !$0.isCollated }.map { Finding(fault: .order, operation: "a comparison", origin: $0) }
  }

  /// Follows a function or one step of an aggregate function: the second operand is the first argument's register.
  private mutating func call(_ step: Instruction) -> Finding? {
    let name = String(step.detail.prefix { $0 != "(" }).lowercased()
    let arguments = arguments(of: step)
    let origin = arguments.compactMap { registers.decimals[$0] }.first
    if let origin, Self.numericFunctions.contains(name) {
      return Finding(fault: .arithmetic, operation: name, origin: origin)
    }
    if let origin, ["min", "max", "nullif"].contains(name),
      !isDecimalCollation(collation) || arguments.contains(where: registers.numbers.contains)
    {
      return Finding(fault: .order, operation: name, origin: origin)
    }
    let isAggregate = step.operation.hasPrefix("Agg")
    let results = Self.sameFunctions.contains(name) ? origin : nil
    let kept = isAggregate ? registers.decimals[step.third] : nil
    registers.clear(step.third)
    registers.decimals[step.third] = results ?? kept
    return nil
  }

  /// Returns the registers of a function's arguments. Their number isn't in the program if a function takes any number
  /// of them; they stand one after the other then.
  private func arguments(of step: Instruction) -> [Int] {
    let number = step.detail.drop { $0 != "(" }.dropFirst().prefix { $0 != ")" }
    guard let count = Int(number), count < 0 else { return Array(step.second..<step.second + (Int(number) ?? 1)) }
    let following = (step.second..<step.second + 32).prefix { register in
      // The bits of the first operand tell which arguments are constants; others may stand behind them.
      if step.first >> (register - step.second) & 1 == 1 { return true }
      guard register != step.third, !constants.contains(register) else { return false }
      return registers.decimals[register] != nil || registers.numbers.contains(register)
    }
    return following.isEmpty ? [step.second] : Array(following)
  }

  private func original(_ cursor: Int) -> Int { originals[cursor] ?? cursor }

  /// Whether the name of a collation, which its encoding may follow, is that of decimals.
  private func isDecimalCollation(_ name: String) -> Bool { name.hasPrefix(Collation.decimal.rawValue) }

  /// Returns the collations in a description such as `k(2,larder_decimal,-B)`.
  private static func collations(_ detail: String) -> [String] {
    guard detail.hasPrefix("k("), detail.hasSuffix(")") else { return [] }
    return detail.dropLast().split(separator: ",", omittingEmptySubsequences: false).dropFirst().map { name in
      String(name.drop { $0 == "-" || $0 == "+" }.replacing("N.", with: ""))
    }
  }

  private static let textAffinity = 0x42
  private static let operators = [
    "Add": "+", "Subtract": "-", "Multiply": "*", "Divide": "/", "Remainder": "%", "Lt": "<", "Le": "<=", "Gt": ">",
    "Ge": ">=", "Eq": "=", "Ne": "<>",
  ]
  /// The functions whose result is one of their arguments, or a decimal as they are.
  private static let sameFunctions: Set = [
    "min", "max", "coalesce", "ifnull", "nullif", "first_value", "last_value", "nth_value", "lag", "lead",
    "larder_decimal_sum", "larder_decimal_sum_within", "larder_decimal_average",
  ]
  private static let numericFunctions: Set = [
    "sum", "total", "avg", "abs", "round", "sign", "ceil", "ceiling", "floor", "trunc", "mod", "pow", "power", "sqrt",
  ]
}
