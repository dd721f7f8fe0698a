import ExampleWeb
import Foundation
import Hummingbird
import Larder

/// `api`: everything the page asks about accounts, categories and costs. Files are asked for in `FileRoutes`.
struct LedgerRoutes {
  let service: LedgerService

  func add(to router: some RouterMethods<some RequestContext>) {
    let api = router.group("api").add(middleware: RefusalMiddleware(Refusal.init(ledger:)))
    api.get("events") { request, _ in try events(request) }
    addAccounts(to: api)
    addCategories(to: api)
    addCosts(to: api)
    api.post("undo") { _, _ in try await Response.json(Change(title: service.undo())) }
    api.post("redo") { _, _ in try await Response.json(Change(title: service.redo())) }
  }

  private struct Created: Encodable { let id: UUID }
  private struct Change: Encodable { let title: String }
  private struct Deletion: Encodable { let costs: Int }

  private func addAccounts(to api: RouterGroup<some RequestContext>) {
    api.post("accounts") { request, _ in
      let form = try await request.form(AccountForm.self)
      return try await Response.json(Created(id: service.createAccount(form.content)), status: .created)
    }
    api.put("accounts/:id") { request, context in
      let edit = try await request.form(Edit<AccountForm>.self)
      try await service.changeAccount(context.rowID, to: edit.content.content, basedOn: edit.basedOn.content)
      return HTTPResponse.Status.noContent
    }
    api.get("accounts/:id/deletion") { _, context in
      try await Response.json(Deletion(costs: service.costsRemoved(with: context.rowID)))
    }
    api.delete("accounts/:id") { request, context in
      try await service.deleteAccount(context.rowID, confirmed: request.confirmedCosts)
      return HTTPResponse.Status.noContent
    }
  }

  private func addCategories(to api: RouterGroup<some RequestContext>) {
    api.post("categories") { request, _ in
      let form = try await request.form(CategoryForm.self)
      return try await Response.json(Created(id: service.createCategory(named: form.name)), status: .created)
    }
    api.put("categories/:id") { request, context in
      let edit = try await request.form(Edit<CategoryForm>.self)
      try await service.renameCategory(context.rowID, to: edit.content.name, basedOn: edit.basedOn.name)
      return HTTPResponse.Status.noContent
    }
    api.get("categories/:id/deletion") { _, context in
      try await Response.json(Deletion(costs: service.costsLosing(context.rowID)))
    }
    api.delete("categories/:id") { request, context in
      try await service.deleteCategory(context.rowID, confirmed: request.confirmedCosts)
      return HTTPResponse.Status.noContent
    }
  }

  private func addCosts(to api: RouterGroup<some RequestContext>) {
    api.get("costs") { request, _ in
      try await Response.json(service.costs(request.filter, after: request.place, skipping: request.skipped))
    }
    api.get("costs/:id") { _, context in try await Response.json(service.cost(context.rowID)) }
    api.post("costs") { request, _ in
      let form = try await request.form(CostForm.self)
      return try await Response.json(Created(id: service.createCost(form.content)), status: .created)
    }
    api.put("costs/:id") { request, context in
      let edit = try await request.form(Edit<CostForm>.self)
      try await service.changeCost(context.rowID, to: edit.content.content, basedOn: edit.basedOn.content)
      return HTTPResponse.Status.noContent
    }
    api.delete("costs/:id") { _, context in
      try await service.deleteCost(context.rowID)
      return HTTPResponse.Status.noContent
    }
  }

  /// Sends what the page shows now and after every change.
  private func events(_ request: Request) throws -> Response {
    let filter = try request.filter
    return .events(named: "ledger", for: request) { service.overviews(filter, limit: CostPage.length) }
  }
}
