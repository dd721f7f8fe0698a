/// Finds arithmetic with decimals in SQL by hand, which SQLite would compute with binary fractions.
///
/// Decimals are text to SQLite, which it compares by their column's collation, but converts to floating-point numbers
/// for `+` or `sum`. Which registers of the statement's program hold decimals shows in the output of EXPLAIN. Source:
/// <https://www.sqlite.org/opcode.html>.
struct DecimalArithmetic {
  struct Instruction {
    let operation: String
    let first: Int
    let second: Int
    let third: Int
    let detail: String
  }

  struct Finding: Equatable {
    /// The operator or function.
    let operation: String
    let column: String
  }

  /// Returns the names of the decimals among the columns of a table or index, by their places.
  let decimals: (_ rootPage: Int, _ database: Int) throws -> [Int: String]
  /// What a register or a column of a cursor holds: the name of a decimal column.
  private var registers: [Int: String] = [:]
  private var records: [Int: [Int: String]] = [:]
  private var cursors: [Int: [Int: String]] = [:]
  /// The cursors that read a temporary table which another one fills.
  private var originals: [Int: Int] = [:]
  /// The registers with the records that cursors read.
  private var contents: [Int: Int] = [:]

  init(decimals: @escaping (_ rootPage: Int, _ database: Int) throws -> [Int: String]) {
    self.decimals = decimals
  }

  /// Returns the first arithmetic with a decimal; nil if there is none.
  mutating func finding(in program: [Instruction]) throws -> Finding? {
    // The programs of triggers follow, each with registers of its own.
    let end = program.dropFirst().firstIndex { $0.operation == "Init" } ?? program.endIndex
    // The second time, temporary tables hold what is added to them further down.
    for _ in 0..<2 {
      registers.removeAll()
      for instruction in program[..<end] {
        if let finding = try follow(instruction) { return finding }
      }
    }
    return nil
  }

  private mutating func follow(_ step: Instruction) throws -> Finding? {
    switch step.operation {
    case "OpenRead", "OpenWrite", "ReopenIdx": cursors[step.first] = try decimals(step.second, step.third)
    case "OpenPseudo": contents[step.first] = step.second
    case "OpenDup": originals[step.first] = original(step.second)
    case "Column":
      let columns = contents[step.first].map { records[$0] ?? [:] } ?? cursors[original(step.first)]
      registers[step.third] = columns?[step.second]
    case "Copy": move(step.first, to: step.second, count: step.third + 1)
    case "SCopy", "IntCopy": move(step.first, to: step.second, count: 1)
    case "Move": move(step.first, to: step.second, count: step.third)
    case "MakeRecord":
      let fields = (0..<step.second).compactMap { field in registers[step.first + field].map { (field, $0) } }
      records[step.third] = Dictionary(uniqueKeysWithValues: fields)
    case "Insert", "IdxInsert", "SorterInsert":
      cursors[original(step.first), default: [:]].merge(records[step.second] ?? [:]) { first, _ in first }
    case "SorterData", "RowData": records[step.second] = cursors[original(step.first)]
    case "AggStep", "AggStep1", "AggInverse", "Function", "PureFunc": return call(step)
    // The operands are the first and the second; a negation subtracts from zero.
    case "Add", "Subtract", "Multiply", "Divide", "Remainder":
      if let column = registers[step.first] ?? registers[step.second] {
        return Finding(operation: Self.operators[step.operation] ?? step.operation, column: column)
      }
      registers[step.third] = nil
    case "Cast": registers[step.first] = nil
    case "Concat", "BitAnd", "BitOr", "ShiftLeft", "ShiftRight", "And", "Or", "AggValue": registers[step.third] = nil
    case "Integer", "Int64", "Real", "String", "String8", "Blob", "Variable", "Rowid", "IdxRowid", "NewRowid", "Count",
      "Sequence", "Not", "BitNot", "IsTrue", "Param":
      registers[step.second] = nil
    case "Null": for register in step.second...max(step.second, step.third) { registers[register] = nil }
    default: break
    }
    return nil
  }

  /// Follows a function or one step of an aggregate function: the second operand is the first argument's register.
  private mutating func call(_ step: Instruction) -> Finding? {
    let name = String(step.detail.prefix { $0 != "(" }).lowercased()
    let argument = registers[step.second]
    if let argument, Self.numericFunctions.contains(name) { return Finding(operation: name, column: argument) }
    registers[step.third] = ["min", "max", "coalesce", "ifnull", "nullif"].contains(name) ? argument : nil
    return nil
  }

  private func original(_ cursor: Int) -> Int { originals[cursor] ?? cursor }

  private mutating func move(_ first: Int, to second: Int, count: Int) {
    for offset in 0..<count {
      registers[second + offset] = registers[first + offset]
      records[second + offset] = records[first + offset]
    }
  }

  private static let operators = ["Add": "+", "Subtract": "-", "Multiply": "*", "Divide": "/", "Remainder": "%"]
  private static let numericFunctions: Set = [
    "sum", "total", "avg", "abs", "round", "sign", "ceil", "ceiling", "floor", "trunc", "mod", "pow", "power", "sqrt",
  ]
}
