import { backoffMs } from '../../../shared/domain/retry.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { MessagePublisher, OutgoingMessage } from '../../../shared/ports/message-bus.ts';

const backoff = { firstDelayMs: 200, maxDelayMs: 10_000 };
/** A failure that passes within seconds needs no line in the log. */
const troubleAfterTries = 3;

export interface PublishUntilStoppedDeps {
  publisher: MessagePublisher;
  /** It has failed several times, with this cause; null when it went through after all. */
  onTrouble: (cause: string | null) => Promise<void>;
  clock: Clock;
  /** In [0, 1). */
  random: () => number;
}

/** Tries again until it succeeds. What is still not published when the signal aborts is found by the sweeper. */
export async function publishUntilStopped(
  messages: readonly OutgoingMessage[],
  { publisher, onTrouble, clock, random }: PublishUntilStoppedDeps,
  signal: AbortSignal,
): Promise<void> {
  if (messages.length === 0) return;
  for (let tries = 1; ; tries++) {
    try {
      await publisher.publish(messages);
      if (tries > troubleAfterTries) await onTrouble(null);
      return;
    } catch (error) {
      if (tries === troubleAfterTries) await onTrouble(error instanceof Error ? error.message : String(error));
    }
    await clock.sleep(backoffMs(backoff, tries, random()), signal);
    if (signal.aborted) return;
  }
}
