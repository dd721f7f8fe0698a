import HTTPTypes
import Hummingbird

/// The page and its files, which are part of the executable, so that it runs from anywhere.
struct PageFiles {
  /// The token that the page's address contains; nil if the program decides who is let in.
  let token: AccessToken?

  func addRoutes(to router: some RouterMethods<some RequestContext>) {
    router.get("") { request, _ in page(request) }
    for (name, content) in Self.styles {
      router.get(RouterPath(name)) { _, _ in
        Response.content(content, mediaType: "text/css; charset=utf-8", caching: "no-cache")
      }
    }
    for (name, content) in Self.scripts {
      router.get(RouterPath(name)) { _, _ in
        Response.content(content, mediaType: "text/javascript; charset=utf-8", caching: "no-cache")
      }
    }
    router.get("jar.svg") { _, _ in
      Response.content(PackageResources.jar_svg, mediaType: "image/svg+xml", caching: "no-cache")
    }
  }

  /// The token moves from the address to a cookie, so that it is neither in the history nor in what the user copies. The
  /// path ends with a slash, because the page's files are beside it.
  private func page(_ request: Request) -> Response {
    let path = request.uri.path.hasSuffix("/") ? request.uri.path : request.uri.path + "/"
    let secrets = [AccessToken.parameter, AccessToken.invitationParameter]
    let isTokenInAddress =
      token != nil && secrets.contains { request.uri.queryParameters[Substring($0)] != nil }
    guard isTokenInAddress || path != request.uri.path else {
      return .content(PackageResources.index_html, mediaType: "text/html; charset=utf-8")
    }
    var headers: HTTPFields = [.location: path, .cacheControl: "no-store"]
    if let token {
      headers[.setCookie] = "\(token.cookie)=\(token.text); Path=\(path); HttpOnly; SameSite=Strict"
    }
    return Response(status: .seeOther, headers: headers)
  }

  private static let styles = [
    "studio.css": PackageResources.studio_css,
    "grid.css": PackageResources.grid_css,
    "panel.css": PackageResources.panel_css,
    "tools.css": PackageResources.tools_css,
  ]

  private static let scripts = [
    "api.js": PackageResources.api_js,
    "attachments.js": PackageResources.attachments_js,
    "builder.js": PackageResources.builder_js,
    "changes.js": PackageResources.changes_js,
    "columns.js": PackageResources.columns_js,
    "completion.js": PackageResources.completion_js,
    "conflicts.js": PackageResources.conflicts_js,
    "deletion.js": PackageResources.deletion_js,
    "diagram.js": PackageResources.diagram_js,
    "document.js": PackageResources.document_js,
    "editors.js": PackageResources.editors_js,
    "elements.js": PackageResources.elements_js,
    "expiry.js": PackageResources.expiry_js,
    "fields.js": PackageResources.fields_js,
    "filter.js": PackageResources.filter_js,
    "format.js": PackageResources.format_js,
    "grid.js": PackageResources.grid_js,
    "gridkeys.js": PackageResources.gridkeys_js,
    "history.js": PackageResources.history_js,
    "json.js": PackageResources.json_js,
    "jsoneditor.js": PackageResources.jsoneditor_js,
    "jsontree.js": PackageResources.jsontree_js,
    "layout.js": PackageResources.layout_js,
    "live.js": PackageResources.live_js,
    "names.js": PackageResources.names_js,
    "pages.js": PackageResources.pages_js,
    "panel.js": PackageResources.panel_js,
    "place.js": PackageResources.place_js,
    "reference.js": PackageResources.reference_js,
    "related.js": PackageResources.related_js,
    "schema.js": PackageResources.schema_js,
    "sql.js": PackageResources.sql_js,
    "streams.js": PackageResources.streams_js,
    "studio.js": PackageResources.studio_js,
    "tables.js": PackageResources.tables_js,
  ]
}
