import type { DeadLetterState } from '../../../shared/contracts/messages/dead-letters.ts';
import type { Page } from '../frame/page.port.ts';

export interface DeadLetterFilter {
  topic?: string | undefined;
  reason?: string | undefined;
  state?: DeadLetterState | undefined;
}

export interface DeadLetterRow {
  letterId: string;
  topic: string;
  partition: number;
  offset: number;
  reason: string;
  state: DeadLetterState;
  replays: number;
  bytes: number;
  createdAt: Date;
  settledAt: Date | null;
}

export interface DeadLetterBytes {
  key: Buffer | null;
  /** At most so many bytes as were asked for. */
  value: Buffer | null;
}

export interface DeadLetterGroupRow {
  topic: string;
  reason: string;
  letters: number;
  firstAt: Date;
  lastAt: Date;
}

/** Messages that were set aside, for people who decide what becomes of them. */
export interface DeadLetterStore {
  /** By topic and reason, the largest first. */
  groups(filter: DeadLetterFilter): Promise<DeadLetterGroupRow[]>;
  /**
   * Newest first; `cursor` is the id of the last one of the page before.
   * @throws {InvalidCursorError} when it is no id
   */
  list(filter: DeadLetterFilter, limit: number, cursor: string | null): Promise<Page<DeadLetterRow>>;
  find(letterId: string, maxBytes: number): Promise<(DeadLetterRow & DeadLetterBytes) | undefined>;
  /**
   * Moves a letter on, if no person has decided about it yet. Returns it as it is then; undefined when there is none.
   */
  settle(letterId: string, to: 'replaying' | 'discarded'): Promise<DeadLetterRow | undefined>;
  /** The same with all of a topic or reason about which no person has decided. Returns how many. */
  settleAll(filter: Omit<DeadLetterFilter, 'state'>, to: 'replaying' | 'discarded'): Promise<number>;
}
