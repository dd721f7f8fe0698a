import ArgumentParser

/// The contenders by the names that the report uses, in its order.
enum ContenderName: String, CaseIterable, Codable, ExpressibleByArgument {
  case rawC
  case larder
  case grdbManual = "grdb-manual"
  case grdbCodable = "grdb-codable"
}
