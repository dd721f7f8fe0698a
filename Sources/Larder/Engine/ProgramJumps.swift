/// Where a statement's program goes on after each of its instructions. Source: <https://www.sqlite.org/opcode.html>.
struct ProgramJumps {
  private let program: [DecimalArithmetic.Instruction]
  /// The places after the calls of a subroutine, by the register with the address to return to.
  private var returns: [Int: [Int]] = [:]
  /// Where coroutines go on, and where those who read them go on at the end.
  private var yields: [Int: [Int]] = [:]
  private var ends: [Int: [Int]] = [:]
  /// The instructions behind those whose numbers are in registers, as addresses to return to are.
  private var constants: [Int: [Int]] = [:]

  init(_ program: [DecimalArithmetic.Instruction]) {
    self.program = program
    for (place, step) in program.enumerated() {
      switch step.operation {
      case "Gosub": returns[step.first, default: []].append(place + 1)
      case "InitCoroutine": yields[step.first, default: []].append(step.third)
      case "Yield":
        yields[step.first, default: []].append(place + 1)
        if step.second > 0 { ends[step.first, default: []].append(step.second) }
      // Some addresses to return to are constants.
      case "Integer" where step.first > 0: constants[step.second, default: []].append(step.first + 1)
      default: break
      }
    }
  }

  /// Returns the places of the instructions that may follow the one at a place.
  func places(after place: Int) -> [Int] {
    let step = program[place]
    switch step.operation {
    case "Halt": return []
    case "Goto", "Gosub": return [step.second]
    case "Init": return [step.second]
    case "Jump": return [step.first, step.second, step.third]
    case "Return":
      let places = (returns[step.first] ?? []) + (constants[step.first] ?? [])
      // A subroutine whose code is in place is also entered from above.
      return step.third > 0 ? places + [place + 1] : places
    case "InitCoroutine": return [step.second > 0 ? step.second : place + 1]
    case "EndCoroutine": return ends[step.first] ?? []
    case "Yield": return (yields[step.first] ?? []) + (step.second > 0 ? [step.second] : [])
    case let operation where Self.branches.contains(operation): return [place + 1, step.second]
    default: return [place + 1]
    }
  }

  private static let branches: Set = [
    "Once", "Rewind", "Last", "Next", "Prev", "SorterNext", "SorterSort", "Sort", "Eq", "Ne", "Lt", "Le", "Gt", "Ge",
    "ElseEq", "If", "IfNot", "IsNull", "NotNull", "IsType", "IfNullRow", "IfNotOpen", "IfPos", "IfNotZero",
    "DecrJumpZero", "IfEmpty", "IfSmaller", "IfSizeBetween", "SeekGE", "SeekGT", "SeekLE", "SeekLT", "SeekRowid",
    "SeekScan", "Found", "NotFound", "NoConflict", "NotExists", "IfNoHope", "IdxGE", "IdxGT", "IdxLE", "IdxLT",
    "VFilter", "VNext", "Program", "FkIfZero", "RowSetRead", "RowSetTest", "MustBeInt", "Filter",
  ]
}
