/// The models of a store: those that were named, and all models related to them.
struct RelatedModels {
  private(set) var all: [any Model.Type]
  private var seen: Set<ObjectIdentifier>

  init(_ models: [any Model.Type]) {
    all = models
    seen = Set(models.map { ObjectIdentifier($0) })
    for model in models { addTargets(of: model) }
  }

  private mutating func addTargets<M: Model>(of model: M.Type) {
    for relationship in M.schema.relationships where seen.insert(ObjectIdentifier(relationship.target)).inserted {
      all.append(relationship.target)
      addTargets(of: relationship.target)
    }
  }
}
