let a = Account(id: 4, name: "x", costs: ["q"])
print(a.costs, Account(id: 3, name: "y").costs.owner, Account(from: 3), Account.Columns.c)
