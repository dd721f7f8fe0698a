// The arguments of @Attribute.

extension Misuse {
  private static var options: String { AttributeOption.allCases.map { "'\($0.expression)'" }.joined(separator: ", ") }

  static func unknownOption(_ name: String) -> Misuse {
    Misuse("'.\(name)' is not an option of '@Attribute'; the options are \(options)")
  }

  static func optionIsNotWrittenOut(_ expression: String) -> Misuse {
    Misuse(
      "'\(expression)' is evaluated when the program runs, and the schema is written when it compiles; write the option itself: \(options)"
    )
  }

  static func optionNeedsType(_ option: AttributeOption, _ required: String, property: String, type: String) -> Misuse {
    Misuse(
      "'\(option.expression)' is for '\(required)' and '\(required)?', and '\(property)' is '\(type)'; remove the option"
    )
  }

  static func counterNeedsInteger(property: String, type: String) -> Misuse {
    Misuse(
      "'.counter' is for integers that aren't optional, such as 'Int', and '\(property)' is '\(type)'; remove the option"
    )
  }

  static func counterIsUnique(_ property: String) -> Misuse {
    Misuse(
      "'\(property)' can't be '.counter' and '.unique': its sum may become that of another row; remove one of the options"
    )
  }

  static func counterIsKey(_ property: String) -> Misuse {
    Misuse("'\(property)' is the key, and a key that counts would be another row's; remove '.counter'")
  }

  static func repeatedAttribute(_ property: String) -> Misuse {
    Misuse("'\(property)' has '@Attribute' twice, and one of them would be overlooked; write all options into one")
  }
}
