import Logging
import ServiceLifecycle

/// What an app does beside its requests.
public enum Housekeeping {
  private static let pause = Duration.seconds(600)

  /// Tidies up now and every ten minutes, until the server ends. Errors are logged and don't end the repetition.
  ///
  /// - Parameters:
  ///   - label: The label of the log that errors go to.
  ///   - tidy: Tidies up once.
  public static func run(label: String, _ tidy: @escaping @Sendable () async throws -> Void) async {
    await cancelWhenGracefulShutdown {
      repeat {
        do {
          try await tidy()
        } catch is CancellationError {
          return
        } catch {
          Logger(label: label).error("Not tidied up: \(error)")
        }
        // The pause throws only if the task is cancelled, which ends the repetition at once.
      } while (try? await Task.sleep(for: pause)) != nil
    }
  }
}
