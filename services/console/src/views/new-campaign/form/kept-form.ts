import * as z from 'zod/mini';
import { spanUnits } from '../../../parts/when/durations.ts';
import { canaryThens, checkFallbacks, priorities, type CampaignForm } from '../../../parts/campaign/form.ts';
import { outcomes } from '../../../parts/audience/source-form.ts';
import { daysOff, misfires, overlaps, whenKinds } from '../../../parts/when/when-form.ts';

/** Unsaved input of this tab. It survives a reload, and other tabs do not see it. */
export interface KeptForm {
  form: CampaignForm;
  /** Time of the input in milliseconds since 1970. */
  keptAtMs: number;
}

/** Version of the form's format. Input of another version is ignored. */
const version = 1;

/** Lifetime of stored input in milliseconds. Older input belongs to a tab that was closed. */
const lifeMs = 7 * 86_400_000;

const texts = z.record(z.string(), z.string());
const params = z.object({ texts, asJson: z.boolean() });
const span = z.object({ amount: z.string(), unit: z.enum(spanUnits) });
const source = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('segment'), segment: z.string() }),
  z.object({ kind: z.literal('list'), list: z.string() }),
  z.object({
    kind: z.literal('run'),
    runId: z.string(),
    outcomes: z.array(z.enum(outcomes)),
    step: z.nullable(z.number()),
  }),
]);

const kept = z.object({
  version: z.literal(version),
  keptAtMs: z.number(),
  form: z.object({
    name: z.string(),
    countries: z.array(z.string()),
    include: z.array(source),
    exclude: z.array(source),
    savedAudience: z._default(z.nullable(z.object({ id: z.string(), revision: z.number() })), null),
    holdOutPercent: z.string(),
    holdOutSeed: z.string(),
    steps: z.array(
      z.object({
        key: z.string(),
        action: z.string(),
        ...params.shape,
        ofVariants: z._default(z.nullable(z.record(z.string(), params)), null),
        unitsPerUser: z.string(),
        check: z._default(z.string(), ''),
        onUnavailable: z._default(z.enum(checkFallbacks), 'wait'),
      }),
    ),
    variants: z._default(z.array(z.object({ key: z.string(), name: z.string(), weight: z.string() })), []),
    splitSeed: z._default(z.string(), ''),
    budgets: texts,
    when: z.object({
      kind: z.enum(whenKinds),
      time: z.string(),
      zone: z.string(),
      zones: texts,
      rule: z.enum(['cron', 'every']),
      cron: z.string(),
      every: span,
      from: z.string(),
      until: z.string(),
      misfire: z.enum(misfires),
      catchUp: span,
      overlap: z.enum(overlaps),
      workCalendar: z._default(z.string(), ''),
      onDayOff: z._default(z.enum(daysOff), 'skip'),
      spreadSeconds: z.number(),
    }),
    pace: z.string(),
    deadline: span,
    pauseAtFailedPercent: z.string(),
    pauseAtFailedMinUsers: z.string(),
    canary: z._default(z.string(), ''),
    canaryThen: z._default(z.enum(canaryThens), 'pause'),
    canaryMaxFailedPercent: z._default(z.string(), ''),
    priority: z.enum(priorities),
  }),
});

export type TextStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

export interface FormKeeper {
  /** Returns null if there is no input, or it is of another version. */
  read(): KeptForm | null;
  keep(form: CampaignForm): void;
  forget(): void;
}

const prefix = 'muster.form.';

/** @param tab name of this tab @param campaignId id of the edited draft, `new`, or the source of a new campaign */
export function createFormKeeper(
  storage: TextStorage,
  tab: string,
  campaignId: string,
  nowMs: () => number,
): FormKeeper {
  const key = `${prefix}${tab}.${campaignId}`;
  return {
    read: () => readKept(storage.getItem(key)),
    keep: (form) => {
      try {
        storage.setItem(key, JSON.stringify({ version, keptAtMs: nowMs(), form }));
      } catch {
        // The storage is full or refused: the page works without it.
      }
      forgetOld(storage, nowMs());
    },
    forget: () => storage.removeItem(key),
  };
}

function readKept(text: string | null): KeptForm | null {
  if (text === null) return null;
  try {
    return kept.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function forgetOld(storage: TextStorage, nowMs: number): void {
  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index));
  for (const key of keys) {
    if (key?.startsWith(prefix) !== true) continue;
    const found = readKept(storage.getItem(key));
    if (found === null || nowMs - found.keptAtMs > lifeMs) storage.removeItem(key);
  }
}

/** Returns the name of this tab, which is stable while the tab is open. */
export function tabName(): string {
  try {
    const known = sessionStorage.getItem('muster.tab');
    if (known !== null) return known;
    const name = crypto.getRandomValues(new Uint32Array(2)).join('-');
    sessionStorage.setItem('muster.tab', name);
    return name;
  } catch {
    return 'only';
  }
}
