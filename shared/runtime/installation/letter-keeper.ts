import type { Clock } from '../../ports/clock.ts';
import type { DeadLetter, DeadLetters } from '../../ports/dead-letters.ts';
import type { LaneMessage } from '../../ports/message-bus.ts';
import type { Meter } from '../../ports/meter.ts';
import type { Logger } from '../logger.ts';
import { consumerMetrics } from '../meter/process-metrics.ts';

/**
 * Reason for quarantining a message. `unreadable`: no references; `misplaced`: on a topic of another shard;
 * `contradicted`: the rows differ from the message.
 */
export type LetterCause = 'unreadable' | 'misplaced' | 'contradicted';

const causes = ['unreadable', 'misplaced', 'contradicted'] as const;
const againMs = 1000;
const maxLetters = 100;
/**
 * Maximum messages stored for one topic by one process, at once and in an hour; a large message counts as several.
 * Further messages are only counted.
 */
const maxPerTopic = 1000;
const usualBytes = 4096;
const hourMs = 3_600_000;
/** Interval of log lines for the same cause and topic. */
const logEveryMs = 30_000;

export interface LetterKeeperDeps {
  deadLetters: DeadLetters;
  meter: Meter;
  clock: Clock;
  logger: Logger;
}

/**
 * Quarantines messages that cannot be served, with their bytes. Postgres knows all work, so nothing is lost if a
 * message is not stored. Neither rows nor log lines grow without bound.
 */
export interface LetterKeeper {
  /** @param onKept called when the message is stored or skipped, and needs nothing more */
  keep(message: LaneMessage, cause: LetterCause, reason: string, onKept: () => void): void;
  stop(): void;
}

export function createLetterKeeper({ deadLetters, meter, clock, logger }: LetterKeeperDeps): LetterKeeper {
  const stopping = new AbortController();
  const allowances = createAllowances(clock);
  const tell = createThrottledLog({ clock, logger });
  const counted = meter.counter(consumerMetrics.setAside);
  const counters = new Map(
    causes.map((cause) => [cause, { yes: counted.of({ cause, kept: 'yes' }), no: counted.of({ cause, kept: 'no' }) }]),
  );
  let unwritten: { letter: DeadLetter; onKept: () => void }[] = [];
  let writing = false;

  /** Writes one group at a time: many unreadable messages must not delay other statements on the store. */
  async function write(): Promise<void> {
    if (writing) return;
    writing = true;
    while (unwritten.length > 0 && !stopping.signal.aborted) {
      const entries = unwritten.slice(0, maxLetters);
      try {
        await deadLetters.add(entries.map(({ letter }) => letter));
        unwritten = unwritten.slice(entries.length);
        for (const { onKept } of entries) onKept();
      } catch (error) {
        logger.warn({ err: error, letters: entries.length }, 'could not keep dead letters, trying again');
        await clock.sleep(againMs, stopping.signal);
      }
    }
    writing = false;
  }

  return {
    keep: (message, cause, reason, onKept) => {
      const isKept = allowances.take(message.lane.topic, 1 + Math.floor((message.value?.length ?? 0) / usualBytes));
      counters.get(cause)?.[isKept ? 'yes' : 'no'].add();
      tell(message, cause, reason);
      if (!isKept) {
        onKept();
        return;
      }
      unwritten.push({ letter: { message, reason }, onKept });
      void write();
    },
    stop: () => stopping.abort(),
  };
}

function createAllowances(clock: Pick<Clock, 'monotonicMs'>) {
  const allowances = new Map<string, { left: number; asOfMs: number }>();
  return {
    take: (topic: string, wanted: number): boolean => {
      const nowMs = clock.monotonicMs();
      const { left, asOfMs } = allowances.get(topic) ?? { left: maxPerTopic, asOfMs: nowMs };
      const regained = Math.min(maxPerTopic, left + ((nowMs - asOfMs) * maxPerTopic) / hourMs);
      allowances.set(topic, { left: regained >= wanted ? regained - wanted : regained, asOfMs: nowMs });
      return regained >= wanted;
    },
  };
}

/** Logs one line for each topic and cause in a while, with the number of messages since the last line. */
function createThrottledLog({ clock, logger }: Pick<LetterKeeperDeps, 'clock' | 'logger'>) {
  const reported = new Map<string, { atMs: number; since: number }>();
  return ({ lane: { topic, partition }, offset }: LaneMessage, cause: LetterCause, reason: string): void => {
    const key = `${topic}/${cause}`;
    const last = reported.get(key);
    const nowMs = clock.monotonicMs();
    if (last && nowMs - last.atMs < logEveryMs) {
      last.since++;
      return;
    }
    const messages = 1 + (last?.since ?? 0);
    logger.error({ topic, partition, offset, cause, reason, messages }, 'a message was set aside');
    reported.set(key, { atMs: nowMs, since: 0 });
  };
}
