import Foundation
import Testing

@testable import Notes

@Suite("Names of picture files")
struct PictureFileTests {
  @Test("a name is read back as the file it names", arguments: PictureFormat.allCases)
  func roundTrip(format: PictureFormat) {
    let file = PictureFile(format: format)
    #expect(PictureFile(rawValue: file.rawValue) == file)
  }

  @Test(
    "anything else is no name",
    arguments: [
      "", ".", "..", "a.png", "../6f9619ff-8b86-d011-b42d-00cf4fc964ff.png", "6f9619ff-8b86-d011-b42d-00cf4fc964ff",
      "6f9619ff-8b86-d011-b42d-00cf4fc964ff.exe", "6f9619ff-8b86-d011-b42d-00cf4fc964ff.png.png", "6F9619FF-8B86-D011-B42D-00CF4FC964FF.png",
      "6f9619ff-8b86-d011-b42d-00cf4fc964ff.PNG", "6f9619ff-8b86-d011-b42d-00cf4fc964ff.png/", "6f9619ff-8b86-d011-b42d-00cf4fc964ff.png ",
    ]
  )
  func strangers(name: String) {
    #expect(PictureFile(rawValue: name) == nil)
  }
}
