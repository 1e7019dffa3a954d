import type { CampaignDefinitionInput } from '#client/types.gen.ts';
import { placeInWords } from '../../../parts/campaign/places.ts';
import { capitalOf } from '../../../parts/words/figures.ts';
import type { PlacedProblem } from './problem-places.ts';

/** A problem in words for campaign managers. The API's own text is for developers. */
export interface ToldWords {
  /** Text at the field, which names the subject. */
  atField: string;
  /** Text in the list of problems: the link to the field, and the rest of the sentence. */
  lead: string;
  rest: string;
}

export function problemInWords(problem: PlacedProblem, definition: CampaignDefinitionInput): ToldWords {
  const missing = missingInWords(problem, definition);
  if (missing !== null) return { atField: missing, lead: missing, rest: '' };
  const { pointer, code, detail } = problem;
  const country = /^\/countries\/(\d+)$/.exec(pointer)?.[1];
  if (country !== undefined) return ofCountry(definition.countries[Number(country)] ?? '', code, detail);
  const place = placeInWords(pointer);
  if (code === 'missing') {
    const [step = '', ...field] = place.split(', ');
    const what = field.length === 0 ? 'this' : field.join(', ');
    return { atField: 'Fill this in', lead: `${step}: fill in ${what}`, rest: '' };
  }
  const rest = wrongInWords(problem) ?? detail;
  return { atField: capitalOf(rest), lead: place, rest };
}

/** Describes missing input as an instruction. */
function missingInWords(
  { pointer, code }: PlacedProblem,
  { name, countries, audience, chain, schedule }: CampaignDefinitionInput,
): string | null {
  const zoneOf = /^\/schedule\/zones\/(.+)$/.exec(pointer)?.[1];
  if (zoneOf !== undefined && code === 'missing') return `Choose a zone for ${zoneOf}: it has several`;
  const said: Readonly<Record<string, { isMissing: boolean; words: string }>> = {
    '/name': { isMissing: name.trim() === '', words: 'Give it a name' },
    '/countries': { isMissing: countries.length === 0, words: 'Choose a country' },
    '/audience/include': {
      isMissing: audience.include.length === 0,
      words: 'Say who: a segment, a list or an earlier run',
    },
    '/chain': { isMissing: chain.length === 0, words: 'Add a step' },
    '/schedule/time': { isMissing: textOf(schedule, 'time') === '', words: 'Choose a day and time' },
    '/schedule/zone': { isMissing: textOf(schedule, 'zone') === '', words: 'Choose a zone' },
    '/schedule/cron': { isMissing: textOf(schedule, 'cron') === '', words: 'Say how often it repeats' },
  };
  const found = said[pointer];
  return found?.isMissing === true ? found.words : null;
}

/** Returns an empty text if the field is missing or not a text. */
function textOf(schedule: CampaignDefinitionInput['schedule'], field: string): string {
  const value = new Map<string, unknown>(Object.entries(schedule ?? {})).get(field);
  return typeof value === 'string' ? value.trim() : '';
}

function ofCountry(country: string, code: string | undefined, detail: string): ToldWords {
  const words: Readonly<Record<string, string>> = {
    'invalid-country': 'is no country code, such as SG',
    'unknown-country': 'is not set up here',
    'repeated-country': 'is there twice',
  };
  const rest = words[code ?? ''] ?? detail;
  return { atField: `${country} ${rest}`, lead: country === '' ? 'A country' : country, rest };
}

/** Returns the rest of a sentence that begins with the field's name; null if the API's text suits. */
function wrongInWords({ pointer, code, detail }: PlacedProblem): string | null {
  if (code === undefined) return null;
  if (code === 'past-time') {
    if (pointer === '/schedule/until') return 'is before its first start: it would never run';
    const country = / in ([A-Z]{2})"/.exec(detail)?.[1];
    return country === undefined ? 'has passed already' : `has passed already in ${country}`;
  }
  if (code === 'invalid-time') return 'is no day and time such as 2026-12-01 09:00';
  if (code === 'unknown-zone') return 'is no time zone that is known, such as Asia/Singapore';
  if (code === 'unknown-action') return 'is not set up any more: remove it, or add another';
  if (code === 'unknown-check') return 'is not set up any more: choose another, or none';
  if (code === 'nothing-costs-units') return 'need a step that costs something: say what a user costs there';
  if (code === 'out-of-range' || code === 'wrong-type') return boundsInWords(pointer);
  return null;
}

function boundsInWords(pointer: string): string | null {
  const bounds: readonly (readonly [RegExp, string])[] = [
    [/^\/paceUsersPerSecond$/, 'has to be a whole number of users per second, from 1 to 1,000,000'],
    [/^\/deadlineSeconds$/, 'has to be between 1 minute and 30 days'],
    [/^\/audience\/holdOutPercent$/, 'has to be from 0 to 99 %'],
    [/^\/pauseAtFailedPercent$/, 'has to be from 0 to 100 %'],
    [/^\/pauseAtFailedMinUsers$/, 'has to be a whole number, 1 or more'],
    [/^\/canary\/users$/, 'has to be a whole number, 1 or more'],
    [/^\/canary\/percent$/, 'has to be between 0 and 100 %'],
    [/^\/canary\/maxFailedPercent$/, 'has to be from 0 to 100 %'],
    [/^\/chain\/\d+\/unitsPerUser$/, 'has to be a whole number, from 1 to 1,000,000'],
    [/^\/budgets\/\d+\/units$/, 'has to be a whole number, 0 or more'],
    [/^\/schedule\/catchUpSeconds$/, 'has to be between 0 s and 366 days'],
    [/^\/schedule\/everySeconds$/, 'has to be between 1 s and 366 days'],
  ];
  return bounds.find(([at]) => at.test(pointer))?.[1] ?? null;
}
