import type { Shard } from '../../../shared/domain/endpoint/shard.ts';
import type { WaitingStep } from '../ports/run-store.ts';
import { isQuietCause } from '../../../shared/domain/run/quiet-hours.ts';
import type { OpenStep } from '../standing/step-progress.ts';

/**
 * Time in milliseconds without progress after which a ready step has a cause to report: no worker serves its shard, or
 * its topic has a fault.
 */
const unservedAfterMs = 30_000;

export interface RunCauseFacts {
  chain: readonly { action: string }[];
  open: readonly OpenStep[];
  waiting: readonly WaitingStep[];
  troubles: ReadonlyMap<string, string>;
  /** Returns the number of messages on the topic that no worker has handled yet; null if unknown. */
  backlogOf: (topic: string) => number | null;
  /**
   * Returns the reasons of workers that should serve the shard but do not. Returns no reasons if a worker serves it.
   */
  refusalsOf: (shard: Shard) => readonly string[];
}

/**
 * Returns the reason why a run waits, as text for users; null if it does not wait. The most serious reason comes first:
 * a topic that rejects messages, a held step, a step without a worker, a step with retries. The text stays the same as
 * long as the reason does.
 */
export function runCause(facts: RunCauseFacts): string | null {
  const { chain, open, waiting, troubles } = facts;
  const nameOf = ({ step, country }: { step: number; country: string }) =>
    `step ${step} ${chain[step - 1]?.action ?? ''} in ${country}`;
  const isHeld = ({ step, country }: OpenStep) =>
    waiting.some((each) => each.held && each.step === step && each.country === country);

  const blocked = open.find(({ topic }) => troubles.has(topic));
  if (blocked) return `Kafka does not take messages of ${blocked.topic}: ${troubles.get(blocked.topic) ?? ''}`;
  const held = waiting.find((step) => step.held && !isQuietCause(step.cause));
  if (held) return `${nameOf(held)} is held until somebody mends it: ${held.cause}`;
  const unserved = open.find((step) => isUnserved(step) && !isHeld(step));
  if (unserved) return `${nameOf(unserved)}: ${unservedCause(unserved, facts)}`;
  // Quiet hours are intended, so they are not reported as a reason. The progress of the run shows them.
  const retried = waiting.find((step) => !isQuietCause(step.cause));
  return retried ? `${nameOf(retried)}: ${retried.cause}` : null;
}

export function isUnserved({ ready, stillForMs }: OpenStep): boolean {
  return ready > 0 && stillForMs >= unservedAfterMs;
}

function unservedCause({ topic, step, country }: OpenStep, { chain, backlogOf, refusalsOf }: RunCauseFacts): string {
  const [refusal] = refusalsOf({ actionType: chain[step - 1]?.action ?? '', country });
  if (refusal !== undefined) return `no worker can serve it: ${refusal}`;
  const backlog = backlogOf(topic);
  if (backlog === null) return `nothing moves, and Kafka does not say what lies on ${topic}`;
  if (backlog > 0) return `no worker handles the messages on ${topic}`;
  return `nothing moves although ${topic} is empty; references are published again`;
}
