import type { Inspector, Passage } from './tcp-proxy.ts';
import { createWireReader } from './wire-reader.ts';

type Matches = (sql: string) => boolean;

/**
 * Cuts the connection when the answer to a matching statement comes back: the statement is committed, but its client
 * never gets the answer. Within longer transactions, only the answer to the commit is cut.
 *
 * @param matches returns whether a text of a statement matches
 * @param every cuts at every n-th matching statement
 */
export function cutAfterCommit(matches: Matches, every: number): Inspector & { cuts(): number } {
  const wire = createWireReader(matches);
  const armed = new WeakSet<Passage>();
  let matched = 0;
  let cuts = 0;
  return {
    cuts: () => cuts,
    toServer: (passage, bytes) => {
      const before = matched;
      matched += wire.sent(passage, bytes);
      if (Math.floor(matched / every) > Math.floor(before / every)) armed.add(passage);
    },
    toClient: (passage, bytes) => {
      const { isIdle, isCarriedOut } = wire.answered(passage, bytes);
      if (!isIdle || !isCarriedOut || !armed.has(passage)) return 'pass';
      cuts++;
      return 'cut';
    },
  };
}

interface DelayedAnswers {
  /** Number of matching statements so far. */
  sent(): number;
  /** Number of late answers so far. */
  delayed(): number;
}

/** Delays the answers to matching statements. The answers describe the state at the time of execution. */
export function delayAnswers(matches: Matches, delayMs: () => number): Inspector & DelayedAnswers {
  const wire = createWireReader(matches);
  const awaited = new WeakSet<Passage>();
  let sent = 0;
  let delayed = 0;
  return {
    sent: () => sent,
    delayed: () => delayed,
    toServer: (passage, bytes) => {
      const matching = wire.sent(passage, bytes);
      sent += matching;
      if (matching > 0) awaited.add(passage);
    },
    toClient: (passage, bytes) => {
      const { isIdle } = wire.answered(passage, bytes);
      if (!awaited.has(passage)) return 'pass';
      if (isIdle) awaited.delete(passage);
      if (delayMs() === 0) return 'pass';
      if (isIdle) delayed++;
      return { lateMs: delayMs() };
    },
  };
}

/** Measures how long senders of matching statements waited until their connection was idle again. */
export function timeAnswers(matches: Matches): Inspector & { takeNew(): number[] } {
  const wire = createWireReader(matches);
  const sentAt = new WeakMap<Passage, number>();
  const tookMs: number[] = [];
  return {
    takeNew: () => tookMs.splice(0),
    toServer: (passage, bytes) => {
      if (wire.sent(passage, bytes) > 0 && !sentAt.has(passage)) sentAt.set(passage, performance.now());
    },
    toClient: (passage, bytes) => {
      const since = sentAt.get(passage);
      if (wire.answered(passage, bytes).isIdle && since !== undefined) {
        tookMs.push(performance.now() - since);
        sentAt.delete(passage);
      }
      return 'pass';
    },
  };
}
