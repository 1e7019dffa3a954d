import type { StatusQuery } from '../../../shared/contracts/endpoints/batch-actions.ts';
import type { BatchRequest, Refusal } from '../../../shared/contracts/endpoints/read-batch-request.ts';

export interface UserFailure {
  id: string;
  code: string;
  /** True if nothing was applied and the caller may retry the user. */
  retryable: boolean;
}

/** Effects of one call, and its answer. Users that are not in `failures` succeeded. */
export interface Effects {
  failures: UserFailure[];
  /** Users whose effect happened now, for the first time. */
  applied: string[];
  failedNow: string[];
  /** Users that got an earlier result again, without a second effect. */
  repeated: number;
}

export type EffectsAnswer = { ok: true; effects: Effects } | { ok: false; refusal: Refusal };

/** Returns the failure of a user, undefined for success. Called only for users without an earlier result. */
export type Decide = (user: string) => UserFailure | undefined;

export interface UserOutcome {
  id: string;
  status: 'succeeded' | 'failed' | 'not-found';
  code?: string;
  retryable?: boolean;
}

/** Memory of a service about its effects, by contract class (docs/contracts.md). */
export interface EffectStore {
  /**
   * Applies a whole call, or nothing. If concurrent calls have the same users or the same key, the effect happens only
   * once.
   */
  apply(request: BatchRequest, decide: Decide): Promise<EffectsAnswer>;
  /** Returns outcomes of users in the order of the query; class C only. */
  statusOf?(query: StatusQuery): readonly UserOutcome[];
  close(): Promise<void>;
}
