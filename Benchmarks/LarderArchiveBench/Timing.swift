/// The shortest time of several rounds in which every contender has a turn, so that a disturbed machine disturbs all
/// alike.
func best(of rounds: Int, _ bodies: [() throws -> Void]) throws -> [Duration] {
  var times = bodies.map { _ in Duration.seconds(3600) }
  for _ in 0..<rounds {
    for (index, body) in bodies.enumerated() {
      times[index] = min(times[index], try ContinuousClock().measure { try body() })
    }
  }
  return times
}

func milliseconds(_ duration: Duration) -> Double { rounded(duration / .milliseconds(1)) }

func rounded(_ number: Double) -> Double { (number * 100).rounded() / 100 }
