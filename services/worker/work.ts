import type { ActionTypeConfig } from '../../shared/contracts/engine-config.ts';
import type { UsersText } from '../../shared/domain/users-text.ts';
import type { LaneMessage } from '../../shared/ports/message-bus.ts';
import type { ClaimedStep, FeedContext, StepRef } from '../../shared/ports/step-ledger.ts';

/** A record of a lane and how many of its references are not handled yet; at none, it is settled. */
export interface OpenMessage {
  readonly record: LaneMessage;
  open: number;
}

/** A step that the topic says is to be done; whether it is, the claim tells. */
export interface QueuedStep extends StepRef {
  readonly actionType: string;
  readonly origin: OpenMessage;
  /** Users still to be served, as the record says. */
  readonly remaining: number;
  /** Users that the chain has lost before this step; null where they have to be read. */
  readonly lost: readonly string[] | null;
}

/** The users that a call asks for. Not one by one: splitting their text costs as much as reading the answer. */
export interface AskedUsers {
  readonly users: UsersText;
  readonly count: number;
  /** Whether no id needs escapes in JSON (`isPlain`). */
  readonly plain: boolean;
}

/** A claimed step with all that is needed to call its endpoint. */
export interface Work extends AskedUsers {
  readonly claim: ClaimedStep;
  readonly context: FeedContext;
  readonly actionType: string;
  readonly type: ActionTypeConfig;
  readonly origin: OpenMessage;
  /** Users that the chain has lost before this step. */
  readonly lost: readonly string[];
  /** When the claim was asked for, by the clock's `monotonicMs`: the lease cannot have begun earlier. */
  readonly claimedAtMs: number;
}
