import type { FeedAudience } from '../../../shared/contracts/runs/feed-audience.ts';

export interface FeedRow {
  feedId: string;
  runId: string;
  country: string;
  /** Place of the variant in the split; null without variants. */
  variant: number | null;
  audience: FeedAudience;
  fromStep: number;
  cursor: string | null;
  batchUsers: number;
  nextBatchNo: number;
  nextChildNo: number;
  fedUsers: number;
  heldOutUsers: number;
  excludedUsers: number;
  /** Number of users in a dry feed that several sources contain. */
  sharedUsers?: number;
  usersAtMost: number | null;
  canaryUsers: number | null;
  complete: boolean;
  stalled: string | null;
  owner: string | null;
  token: number;
  leaseUntilMs: number;
  /** A stalled feed is released, and not claimed again before this time. */
  stalledUntilMs: number | null;
  stalls: number;
  /** Units that a user costs in each step; null if the campaign has no budget in this country. */
  stepUnits: readonly number[] | null;
}

export interface BatchRow {
  feedId: string;
  batchNo: number;
  users: string[];
  parent: number | null;
  fromStep: number;
}

export interface AudienceRow {
  id: string;
  name: string;
  state: 'receiving' | 'ready' | 'failed';
  country: string | null;
  rows: number;
  rejected: number;
  cause: string | null;
  attempt: string;
  createdAt: Date;
  receivedAtMs: number;
  readyAt: Date | null;
  /** Users by country in the order of arrival. Sorted and without repeats once the list is ready. */
  users: Map<string, string[]>;
  rejects: { line: number; value: string; rule: string }[];
}
