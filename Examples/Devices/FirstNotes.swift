import Larder

/// What a new pair of devices starts with.
enum FirstNotes {
  static func insert(in db: Transaction) throws {
    let kitchen = Folder(name: "Kitchen")
    let travel = Folder(name: "Travel")
    let later = Label(name: "Later")
    let ada = Author(name: "Ada")
    let sweet = Tag(name: "sweet")
    try db.insert([kitchen, travel])
    try db.insert(later)
    try db.insert([ada, Author(name: "Bo")])
    try db.insert(sweet)
    let jam = Note(
      title: "Apricot jam", text: "Two kilos of fruit, one of sugar.", folder: ToOne(kitchen), author: ToOne(ada))
    try db.insert(jam)
    try db.link(jam, \.tags, sweet)
    try db.insert(
      Note(title: "Graz", text: "By train, early.", folder: ToOne(travel), label: ToOne(later), author: nil))
  }
}
