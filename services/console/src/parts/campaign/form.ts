import type { FieldTexts } from '../forms/schema-values.ts';
import type { Span } from '../when/durations.ts';
import { firstWhen, type WhenForm } from '../when/when-form.ts';

/** A campaign as it is typed: texts where somebody types, so that what is not finished has a place too. */
export interface CampaignForm {
  name: string;
  countries: readonly string[];
  include: readonly SourceForm[];
  exclude: readonly SourceForm[];
  /** What they were taken from, while they are those. */
  savedAudience: TakenForm | null;
  holdOutPercent: string;
  holdOutSeed: string;
  steps: readonly StepForm[];
  /** Units by country. */
  budgets: Readonly<Record<string, string>>;
  when: WhenForm;
  pace: string;
  deadline: Span;
  pauseAtFailedPercent: string;
  pauseAtFailedMinUsers: string;
  /** The first users: a number of them, or a share with its sign. */
  canary: string;
  canaryMaxFailedPercent: string;
  priority: Priority;
}

export const priorities = ['low', 'normal', 'high'] as const;
export type Priority = (typeof priorities)[number];

export const outcomes = ['succeeded', 'failed', 'skipped', 'suppressed', 'expired', 'cancelled', 'unknown'] as const;
export type EarlierOutcome = (typeof outcomes)[number];

export type SourceForm =
  | { kind: 'segment'; segment: string }
  | { kind: 'list'; list: string }
  | { kind: 'run'; runId: string; outcomes: readonly EarlierOutcome[]; step: number | null };

/** A revision of a saved audience. */
export interface TakenForm {
  id: string;
  revision: number;
}

export interface StepForm {
  /** Stays with the step when it is moved. */
  key: string;
  action: string;
  texts: FieldTexts;
  /** All of its parameters as JSON, because somebody wants it so, or because no fields could say them. */
  asJson: boolean;
  unitsPerUser: string;
  /** Name of the check that is asked before it; empty: none. */
  check: string;
  onUnavailable: CheckFallback;
}

export const checkFallbacks = ['wait', 'fail', 'call'] as const;
export type CheckFallback = (typeof checkFallbacks)[number];

export const emptyForm: CampaignForm = {
  name: '',
  countries: [],
  include: [],
  exclude: [],
  savedAudience: null,
  holdOutPercent: '',
  holdOutSeed: '',
  steps: [],
  budgets: {},
  when: firstWhen,
  pace: '',
  deadline: { amount: '1', unit: 'd' },
  pauseAtFailedPercent: '',
  pauseAtFailedMinUsers: '',
  canary: '',
  canaryMaxFailedPercent: '',
  priority: 'normal',
};
