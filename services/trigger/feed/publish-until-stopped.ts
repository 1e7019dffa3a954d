import { backoffMs } from '../../../shared/domain/retry.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { MessagePublisher, OutgoingMessage } from '../../../shared/ports/message-bus.ts';

const backoff = { firstDelayMs: 200, maxDelayMs: 10_000 };
/** Number of failed attempts from which a warning is logged. Short failures need no warning. */
const troubleAfterTries = 3;

export interface PublishUntilStoppedDeps {
  publisher: MessagePublisher;
  /** Called with the cause after several failures. Called with null when publishing succeeds after that. */
  onTrouble: (cause: string | null) => Promise<void>;
  clock: Clock;
  /** Random number in [0, 1). */
  random: () => number;
}

/** Publishes messages until that succeeds or the signal aborts. The sweeper finds unpublished messages later. */
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
