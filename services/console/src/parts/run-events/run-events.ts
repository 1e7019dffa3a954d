import { causeWithoutPlace, quotedTitleOf } from '../words/action-titles.ts';
import type { RunEvent } from '#client/types.gen.ts';
import { joinWords, formatSentence } from '../words/figures.ts';
import { countOf, formatCount } from '../words/numbers.ts';
import type { RateMark } from '../charts/draw-marks.ts';
import { formatBudget } from '../money/amounts.ts';
import { formatDuration } from '../times/times.ts';

/** Description of a run's event: the actor, if a person caused the event, and the change. */
export interface EventDescription {
  who: string | null;
  what: string;
  note: string | null;
  /** Label of two or three words in the chart of the rate; null if the event does not affect the rate. */
  mark: string | null;
}

/** Returns the events that the chart of the rate shows, in the order of their time. */
export function rateMarks(events: readonly RunEvent[], timeOf: (instant: string) => string): RateMark[] {
  return events.flatMap((event) => {
    const { mark } = describeEvent(event, timeOf);
    return mark === null ? [] : [{ atMs: Date.parse(event.at), words: mark }];
  });
}

/** Returns the key that requested the run. Null if the schedule started it, or the requester is unknown. */
export function requesterOf(events: readonly RunEvent[]): string | null {
  const created = events.find(({ kind }) => kind === 'created');
  return created ? textAt(created.detail, 'by', 'keyName') : null;
}

type Detail = RunEvent['detail'];

const plain = { who: null, note: null, mark: null };

export function describeEvent({ kind, detail }: RunEvent, timeOf: (instant: string) => string): EventDescription {
  const requested = { who: textAt(detail, 'by', 'keyName'), note: textAt(detail, 'reason') };
  switch (kind) {
    case 'created':
      return { ...plain, what: requested.who === null ? 'Run created' : `Run created, requested by ${requested.who}` };
    case 'begun':
      return { ...plain, what: `Run started${feedsOf(detail)}` };
    case 'pausing':
      return { ...requested, what: 'paused the run', mark: 'paused' };
    case 'auto-paused':
      return {
        ...plain,
        what: formatSentence(autoPauseWords(textAt(detail, 'cause') ?? 'no cause was given')),
        mark: 'paused',
      };
    case 'canary-passed':
      return {
        ...plain,
        what: formatSentence(`The canary has ended, the run continues: ${textAt(detail, 'report') ?? ''}`),
        mark: 'canary over',
      };
    case 'paused':
      return { ...plain, what: 'Run paused: its last call has ended' };
    case 'resumed':
      return { ...requested, ...resumeWords(textAt(detail, 'variant')) };
    case 'cancelling':
      return { ...requested, what: 'cancelled the run', mark: 'cancelled' };
    case 'changed':
      return { ...requested, ...changeWords(detail, timeOf) };
    case 'snapshot-renewed': {
      const where = [textAt(detail, 'segment'), textAt(detail, 'country')].filter((part) => part !== null);
      return { ...plain, what: `Continues with a new snapshot of ${where.join(' in ') || 'its audience'}` };
    }
    case 'breaker-opened':
      return trouble(detail, (place, why) => `Breaker of ${place} opened${why}`, 'breaker opens');
    case 'breaker-closed':
      return trouble(detail, (place) => `Breaker of ${place} closed${spanOf(detail)}`, null);
    case 'worker-missing':
      return trouble(detail, (place, why) => `No worker for ${place}${why}`, 'no worker');
    case 'worker-back':
      return trouble(detail, (place) => `A worker serves ${place} again${spanOf(detail)}`, null);
    case 'step-held':
      return trouble(detail, (place, why) => `${place} is held until a person fixes it${why}`, 'held');
    case 'step-released':
      return trouble(detail, (place) => `${place} is no longer held${spanOf(detail)}`, null);
    case 'feed-stalled':
      return trouble(detail, (place, why) => `The audience of ${place} cannot be read${why}`, 'audience stalls');
    case 'feed-moved':
      return trouble(detail, (place) => `The audience of ${place} is read again${spanOf(detail)}`, null);
    case 'repaired':
      return { ...plain, what: `Sums of ${textAt(detail, 'country') ?? 'a country'} were corrected` };
    case 'ended':
      return { ...plain, what: endWords(detail) };
  }
}

/**
 * Describes a problem of a step in a country, or of a whole country. `mark` is null for the end of a problem: the
 * chart's line shows the recovery.
 */
function trouble(
  detail: Detail,
  whatOf: (place: string, why: string) => string,
  mark: string | null,
): EventDescription {
  const country = textAt(detail, 'country') ?? 'a country';
  const action = textAt(detail, 'action');
  const place = action === null ? country : `${quotedTitleOf(action)} in ${country}`;
  const cause = textAt(detail, 'cause');
  const why = cause === null ? '' : `: ${causeWithoutPlace(cause, { action: action ?? '', country })}`;
  return { ...plain, what: whatOf(place, why), mark: mark && `${country} ${mark}` };
}

/** Describes a pause by Muster: the end of a canary, or a limit. */
function autoPauseWords(cause: string): string {
  const ofCanary = /^canary: (.*)$/s.exec(cause)?.[1];
  return ofCanary === undefined
    ? `Muster paused the run: ${cause}`
    : `The canary has ended, the run waits: ${ofCanary}`;
}

/** @param variant chosen for all users outside the canary; null if nothing was chosen */
function resumeWords(variant: string | null): Pick<EventDescription, 'what' | 'mark'> {
  if (variant === null) return { what: 'resumed the run', mark: 'resumed' };
  return { what: `chose ${variant} for all other users, and resumed the run`, mark: 'variant chosen' };
}

function spanOf(detail: Detail): string {
  const forMs = detail['forMs'];
  return typeof forMs === 'number' ? ` after ${formatDuration(forMs)}` : '';
}

function feedsOf(detail: Detail): string {
  const feeds = detail['feeds'];
  return typeof feeds === 'number' ? ` with ${countOf(feeds, 'country', 'countries')}` : '';
}

function endWords(detail: Detail): string {
  const state = (textAt(detail, 'state') ?? 'ended').replaceAll('_', ' ');
  const reason = textAt(detail, 'reason');
  return reason === null ? `Run ended: ${state}` : formatSentence(`Run ended, ${state}: ${reason}`);
}

interface Setting {
  name: string;
  mark: string;
  show: (value: unknown, timeOf: (instant: string) => string) => string;
}

const settings: Record<string, Setting> = {
  paceUsersPerSecond: { name: 'pace', mark: 'pace changed', show: (value) => limit(value, 'users/s') },
  deadlineAt: {
    name: 'deadline',
    mark: 'deadline moved',
    show: (value, timeOf) => (typeof value === 'string' ? timeOf(value) : 'none'),
  },
  priority: { name: 'priority', mark: 'priority changed', show: text },
  pauseAtFailedPercent: { name: 'limit of failed users', mark: 'limit changed', show: (value) => limit(value, '%') },
  pauseAtFailedMinUsers: { name: 'users before that limit counts', mark: 'limit changed', show: text },
};

function changeWords(detail: Detail, timeOf: (instant: string) => string): Pick<EventDescription, 'what' | 'mark'> {
  const [from, to] = [detail['from'], detail['to']];
  if (!isFields(to)) return { what: 'changed the run', mark: null };
  const names = Object.keys(to);
  const parts = names.flatMap((name) => {
    if (name === 'budgets') return budgetParts(from, to[name]);
    const setting = settings[name];
    if (!setting) return name;
    const before = isFields(from) ? from[name] : null;
    return `the ${setting.name} from ${setting.show(before, timeOf)} to ${setting.show(to[name], timeOf)}`;
  });
  const mark = names[0] === 'budgets' ? 'budget changed' : (settings[names[0] ?? '']?.mark ?? null);
  return { what: `changed ${joinWords(parts)}`, mark };
}

function budgetParts(from: unknown, to: unknown): string[] {
  const before = isFields(from) ? sizesIn(from['budgets']) : new Map<string, string>();
  return [...sizesIn(to)].map(
    ([country, size]) => `the budget of ${country} from ${before.get(country) ?? 'no limit'} to ${size}`,
  );
}

function sizesIn(budgets: unknown): Map<string, string> {
  const list: readonly unknown[] = Array.isArray(budgets) ? budgets : [];
  return new Map(
    list.flatMap((each) => {
      const country = textAt(each, 'country');
      const units = isFields(each) ? each['units'] : null;
      const [amount, currency] = [textAt(each, 'amount'), textAt(each, 'currency')];
      if (country === null) return [];
      if (typeof units === 'number') return [[country, formatBudget({ units })] as const];
      return amount !== null && currency !== null ? [[country, formatBudget({ amount, currency })] as const] : [];
    }),
  );
}

function limit(value: unknown, unit: string): string {
  return typeof value === 'number' ? `${formatCount(value)} ${unit}` : 'no limit';
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : 'none';
}

function textAt(detail: unknown, ...path: string[]): string | null {
  const found = path.reduce<unknown>((at, name) => (isFields(at) ? at[name] : null), detail);
  return typeof found === 'string' ? found : null;
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
