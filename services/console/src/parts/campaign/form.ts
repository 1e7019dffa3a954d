import type { SourceForm } from '../audience/source-form.ts';
import type { ParamsForm } from './params-form.ts';
import type { Span } from '../when/durations.ts';
import { defaultWhen, type WhenForm } from '../when/when-form.ts';

/** A campaign as it is typed. Typed values are texts, so that unfinished input can be kept too. */
export interface CampaignForm {
  name: string;
  countries: readonly string[];
  include: readonly SourceForm[];
  exclude: readonly SourceForm[];
  /** Saved audience of the sources; null once they differ from it. */
  savedAudience: CopiedForm | null;
  holdOutPercent: string;
  holdOutSeed: string;
  steps: readonly StepForm[];
  /** Variants of all steps that have variants. The first of these steps divides the users by the weights. */
  variants: readonly VariantForm[];
  splitSeed: string;
  /** Units or money as typed, by country. */
  budgets: Readonly<Record<string, string>>;
  when: WhenForm;
  pace: string;
  deadline: Span;
  pauseAtFailedPercent: string;
  pauseAtFailedMinUsers: string;
  /** Size of the canary: a number of users, or a percentage with its sign. */
  canary: string;
  /** Decision of a person when the users of the canary have ended. */
  canaryThen: CanaryThen;
  canaryMaxFailedPercent: string;
  priority: Priority;
}

export const canaryThens = ['pause', 'choose-variant'] as const;
export type CanaryThen = (typeof canaryThens)[number];

export const priorities = ['low', 'normal', 'high'] as const;
export type Priority = (typeof priorities)[number];

export interface CopiedForm {
  id: string;
  revision: number;
}

export interface VariantForm {
  /** Identifies the variant when its name changes. */
  key: string;
  name: string;
  /** Share of the users in percent. */
  weight: string;
}

export interface StepForm extends ParamsForm {
  /** Identifies the step when it is moved. */
  key: string;
  action: string;
  /** Complete parameters of each variant, by its key. Null if the step treats all users alike, by its own parameters. */
  ofVariants: Readonly<Record<string, ParamsForm>> | null;
  unitsPerUser: string;
  /** Name of the check before the step; empty if there is none. */
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
  variants: [],
  splitSeed: '',
  budgets: {},
  when: defaultWhen,
  pace: '',
  deadline: { amount: '1', unit: 'd' },
  pauseAtFailedPercent: '',
  pauseAtFailedMinUsers: '',
  canary: '',
  canaryThen: 'pause',
  canaryMaxFailedPercent: '',
  priority: 'normal',
};
