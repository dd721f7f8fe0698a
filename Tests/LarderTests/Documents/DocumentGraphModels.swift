import Foundation

@testable import Larder

struct Villager: StoredDocument, Equatable {
  static let collection = "villagers"
  var key: String
  var name = ""
  var partner: DocumentReference<Villager>?
  var friends: [DocumentReference<Villager>] = []
  /// By the season.
  var homes: [String: Stay] = [:]

  struct Stay: Codable, Sendable, Equatable {
    var cottage: DocumentReference<Cottage>
    var weeks = 1
  }
}

struct Cottage: StoredDocument, Equatable {
  static let collection = "cottages"
  var key: String
  var owner: DocumentReference<Villager>?
  var rooms: [[DocumentReference<Villager>]] = []
}

/// A document with a key that is computed, and another name for it in the JSON.
struct GraphTicket: StoredDocument, Equatable {
  static let collection = "tickets"
  var id: UUID
  var parent: DocumentReference<GraphTicket>?
  var key: String { id.uuidString }
}
