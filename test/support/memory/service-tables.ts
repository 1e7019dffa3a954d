import type { MessageState } from '../../../shared/contracts/quarantine/messages.ts';
import type { Shard } from '../../../shared/domain/endpoint/shard.ts';
import type { RegisteredActionType } from '../../../shared/ports/registry.ts';

export interface ActionTypeRow extends RegisteredActionType {
  deletedAt: Date | null;
}

export interface GuardRow {
  shard: Shard;
  state: 'open' | 'closed';
  cause: string;
  openings: number;
  openedAtMs: number;
  retryAtMs: number;
  probeOwner: string | null;
  probeUntilMs: number;
  slowStartAtMs: number | null;
}

export interface DeadLetterRow {
  letterId: string;
  topic: string;
  partition: number;
  offset: number;
  state: MessageState;
  replays: number;
  createdAt: Date;
  settledAt: Date | null;
  key: Buffer | null;
  value: Buffer | null;
  reason: string;
}
