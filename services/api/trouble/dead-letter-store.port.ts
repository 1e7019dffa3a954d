import type { DeadLetterState } from '../../../shared/contracts/messages/dead-letters.ts';

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
