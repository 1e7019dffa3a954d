import type { capCountings } from '../../../shared/domain/step/caps.ts';
import type { StepRef } from '../../../shared/ports/step-ledger.ts';

export interface CapRow {
  name: string;
  actionTypes: readonly string[];
  /** Undefined means all countries. */
  countries?: readonly string[];
  effects: number;
  days: number;
  counting: (typeof capCountings)[number];
  /** Ids of campaigns. */
  exempt?: readonly string[];
  countsFrom: Date;
}

/** Effects of a step of a batch that caps count. */
export interface EffectsRow extends StepRef {
  actionType: string;
  country: string;
  campaignId: string;
  /** Time of the last claim. */
  atMs: number;
  users: readonly string[];
}
