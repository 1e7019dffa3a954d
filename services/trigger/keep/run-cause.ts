import type { Shard } from '../../../shared/domain/endpoint/shard.ts';
import type { WaitingStep } from '../ports/run-store.ts';
import { isQuietCause } from '../../../shared/domain/run/quiet-hours.ts';
import type { OpenStep } from '../standing/step-progress.ts';

/** Time after which a ready step without progress has no worker, or a fault on its topic. */
const unservedAfterMs = 30_000;

export interface RunCauseFacts {
  chain: readonly { action: string }[];
  open: readonly OpenStep[];
  waiting: readonly WaitingStep[];
  troubles: ReadonlyMap<string, string>;
  /** Messages that no worker has handled yet; null if unknown. */
  backlogOf: (topic: string) => number | null;
  /** Reasons of workers that should serve the shard and do not, if no worker serves it. */
  refusalsOf: (shard: Shard) => readonly string[];
}

/**
 * Returns what a run waits for, for people, gravest cause first: a topic that rejects messages, a held step, a step
 * without a worker, a step with retries. Else null. The text stays the same as long as the cause does.
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
  // Quiet hours are intended: progress shows them, and they are no cause.
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
