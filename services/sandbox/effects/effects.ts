import type { StepMode } from '../../../shared/domain/run/run-kinds.ts';
import type { BatchCall, StatusQuery } from '../../../shared/contracts/endpoints/batch-actions.ts';

/** One batch call as it came in. */
export interface BatchRequest {
  key: string;
  /** How often the key was sent, from 1, as the caller says. */
  attempt: number;
  /** test: it is answered as it would be, and has no effect. */
  mode: StepMode;
  call: BatchCall;
  /** The body as sent: by which "other bytes under the same key" are recognised. */
  body: Buffer;
}

export interface UserFailure {
  id: string;
  code: string;
  /** True says that nothing was applied and that the user may come again. */
  retryable: boolean;
}

/** What one call did and what it is answered. Users that are not in `failures` succeeded. */
export interface Effects {
  failures: UserFailure[];
  /** Users whose effect happened now, for the first time. */
  applied: string[];
  /** Users whose final failure was decided now. */
  failedNow: string[];
  /** Users that got an earlier result again, without a second effect. */
  repeated: number;
}

/** A whole answer that applies nothing. */
export interface Refusal {
  status: number;
  code: string;
  message: string;
  retryAfterSeconds?: number;
}

export type EffectsAnswer = { ok: true; effects: Effects } | { ok: false; refusal: Refusal };

/** Who fails in this call; undefined for users that succeed. Asked only for users without an earlier result. */
export type Decide = (user: string) => UserFailure | undefined;

/** What became of a user, as a status query is answered. */
export interface UserOutcome {
  id: string;
  status: 'succeeded' | 'failed' | 'not-found';
  code?: string;
  retryable?: boolean;
}

/** What a service remembers about its effects, by contract class (docs/contracts.md). */
export interface EffectStore {
  /** Whole or not at all; two calls for the same users or the same key at once have one effect between them. */
  apply(request: BatchRequest, decide: Decide): Promise<EffectsAnswer>;
  /** Class C alone: what became of users, in the order asked. */
  statusOf?(query: StatusQuery): readonly UserOutcome[];
  close(): Promise<void>;
}
