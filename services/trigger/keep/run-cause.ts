import type { Shard } from '../../../shared/domain/endpoint/shard.ts';
import type { WaitingStep } from '../ports/run-store.ts';
import { isQuietCause } from '../../../shared/domain/run/quiet-hours.ts';
import type { OpenStep } from '../standing/step-progress.ts';

/** A step in which nothing moves for so long has no worker, or something is wrong with its topic. */
const unservedAfterMs = 30_000;

export interface RunCauseFacts {
  chain: readonly { action: string }[];
  /** The run's own. */
  open: readonly OpenStep[];
  waiting: readonly WaitingStep[];
  /** By topic, why it could not be written. */
  troubles: ReadonlyMap<string, string>;
  /** Messages that no worker has handled yet; null where that is not known. */
  backlogOf: (topic: string) => number | null;
  /** Why workers that should serve it do not, where none does. */
  refusalsOf: (shard: Shard) => readonly string[];
}

/**
 * What a run waits for, for people, the gravest first: a topic that takes nothing, a step that is held, one that no
 * worker serves, one that is tried again. Null when it waits for nothing in particular. The same words for as long as
 * it is the same cause.
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
  // Quiet hours are as they were wanted: progress shows them, and nothing is wrong.
  const retried = waiting.find((step) => !isQuietCause(step.cause));
  return retried ? `${nameOf(retried)}: ${retried.cause}` : null;
}

/** Nothing of it moves, though there is work. */
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
