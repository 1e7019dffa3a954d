import type { Cap, WrittenCapInput } from '#client/types.gen.ts';
import { typedNumber } from '../../parts/forms/typed-number.ts';
import { quotedTitleOf } from '../../parts/words/action-titles.ts';
import { joinWords } from '../../parts/words/figures.ts';
import { countOf } from '../../parts/words/numbers.ts';

export interface CapForm {
  name: string;
  actionTypes: readonly string[];
  /** Codes separated by commas or blanks. Empty means all countries. */
  countries: string;
  effects: string;
  days: string;
  counting: Cap['counting'];
  exempt: readonly string[];
  /** Typed text of the search for a further exempt campaign; null while the search is closed. */
  campaignSearch: string | null;
}

export function formOf(cap: Cap | undefined): CapForm {
  return {
    name: cap?.name ?? '',
    actionTypes: cap?.actionTypes ?? [],
    countries: cap?.countries?.join(', ') ?? '',
    effects: String(cap?.effects ?? 3),
    days: String(cap?.days ?? 7),
    counting: cap?.counting ?? 'rolling',
    exempt: cap?.exempt ?? [],
    campaignSearch: null,
  };
}

/** Returns the cap of a form; undefined while the form is incomplete. */
export function capOf({ name, actionTypes, countries, effects, days, counting, exempt }: CapForm) {
  const limit = typedNumber(effects);
  const period = typedNumber(days);
  if (name.trim() === '' || actionTypes.length === 0 || typeof limit !== 'number' || typeof period !== 'number') {
    return undefined;
  }
  const codes = countries.toUpperCase().split(/[\s,]+/);
  const given = codes.filter((code) => code !== '');
  return {
    name: name.trim(),
    actionTypes: [...actionTypes],
    ...(given.length > 0 && { countries: given }),
    effects: limit,
    days: period,
    counting,
    ...(exempt.length > 0 && { exempt: [...exempt] }),
  } satisfies WrittenCapInput;
}

/** Returns the cap as it is written: without the time from which it counts, which the API decides. */
export function writtenOf({ countsFrom: _, ...cap }: Cap): WrittenCapInput {
  return cap;
}

/** Describes a cap: `A user gets “Send a message” at most 3 times within 7 days, in SG, ID.` */
export function describeCap(cap: WrittenCapInput): string {
  const { actionTypes, countries, exempt = [] } = cap;
  const together = actionTypes.length > 1 ? ' together' : '';
  const where = countries === undefined ? '' : `, in ${countries.join(', ')}`;
  const except = exempt.length === 0 ? '' : `, except in ${countOf(exempt.length, 'campaign')}`;
  return `A user gets ${joinWords(actionTypes.map(quotedTitleOf))}${together} ${formatLimit(cap)}${where}${except}.`;
}

/** Describes the limit of a cap: `at most 3 times within 7 days`. */
export function formatLimit({
  effects,
  days,
  counting,
}: Pick<WrittenCapInput, 'effects' | 'days' | 'counting'>): string {
  const often = effects === 1 ? 'once' : countOf(effects, 'time');
  const period = counting === 'calendar' ? countOf(days, 'calendar day') : countOf(days, 'day');
  return `at most ${often} within ${period}`;
}

/**
 * Describes what saving changes. A cap with a new name or action type counts from now on, because the API knows no
 * earlier effects of it.
 */
export function describeChange(cap: WrittenCapInput, former: readonly Cap[]): string {
  const before = former.find(({ name }) => name === cap.name);
  const added = cap.actionTypes.filter((type) => before?.actionTypes.includes(type) !== true);
  if (!before) return 'It counts from now on: what users got before does not count.';
  if (added.length > 0) {
    return `With ${joinWords(added.map(quotedTitleOf))} it counts from now on: what users got before does not count any more.`;
  }
  return 'What it has counted so far still counts.';
}
