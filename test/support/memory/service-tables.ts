import type { DeadLetterState } from '../../../shared/contracts/messages/dead-letters.ts';
import type { Shard } from '../../../shared/domain/endpoint/shard.ts';
import type { ApiKeyRecord } from '../../../shared/ports/api-keys.ts';
import type { RegisteredActionType } from '../../../shared/ports/registry.ts';
import type { StoredAnswer } from '../../../services/api/frame/idempotent-requests.port.ts';
import type { ShardReport } from '../../../services/worker/report/shard-reports.port.ts';

export interface ActionTypeRow extends RegisteredActionType {
  deletedAt: Date | null;
}

export interface ShardReportRow extends ShardReport {
  worker: string;
  reportedAtMs: number;
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

export interface ApiKeyRow extends ApiKeyRecord {
  digest: string;
}

export interface SessionRow {
  digest: string;
  apiKey: string;
  createdAtMs: number;
  idleUntilMs: number;
  expiresAtMs: number;
}

export interface SessionLinkRow {
  digest: string;
  apiKey: string;
  expiresAtMs: number;
}

export interface IdempotentRequestRow {
  bodyDigest: string;
  answer: StoredAnswer | null;
  createdAtMs: number;
  createdId: string;
}

export interface DeadLetterRow {
  letterId: string;
  topic: string;
  partition: number;
  offset: number;
  state: DeadLetterState;
  replays: number;
  createdAt: Date;
  settledAt: Date | null;
  key: Buffer | null;
  value: Buffer | null;
  reason: string;
}
