import type { CampaignDefinitionInput } from '#client/types.gen.ts';
import { formatPlace } from '../../../parts/campaign/places.ts';
import { capitalize } from '../../../parts/words/figures.ts';
import type { PlacedProblem } from './problem-places.ts';

/** A problem in words for campaign managers. The API's own text is for developers. */
export interface ProblemText {
  /** Text shown at the field. It includes the name of the field. */
  atField: string;
  /** Start of the sentence in the list of problems; it links to the field. `rest` continues the sentence. */
  lead: string;
  rest: string;
}

export function describeProblem(problem: PlacedProblem, definition: CampaignDefinitionInput): ProblemText {
  const missing = describeMissing(problem, definition);
  if (missing !== null) return { atField: missing, lead: missing, rest: '' };
  const { pointer, code, detail } = problem;
  const country = /^\/countries\/(\d+)$/.exec(pointer)?.[1];
  if (country !== undefined) return describeCountryProblem(definition.countries[Number(country)] ?? '', code, detail);
  const place = formatPlace(pointer);
  if (code === 'missing') {
    const [step = '', ...field] = place.split(', ');
    const what = field.length === 0 ? 'this' : field.join(', ');
    return { atField: 'Fill this in', lead: `${step}: fill in ${what}`, rest: '' };
  }
  const rest = describeInvalid(problem) ?? detail;
  return { atField: capitalize(rest), lead: place, rest };
}

/** Describes missing input as an instruction. */
function describeMissing(
  { pointer, code }: PlacedProblem,
  { name, countries, audience, chain, schedule }: CampaignDefinitionInput,
): string | null {
  const zoneOf = /^\/schedule\/zones\/(.+)$/.exec(pointer)?.[1];
  if (zoneOf !== undefined && code === 'missing') return `Choose a zone for ${zoneOf}: it has several`;
  const fields: Readonly<Record<string, { isMissing: boolean; words: string }>> = {
    '/name': { isMissing: name.trim() === '', words: 'Enter a name' },
    '/countries': { isMissing: countries.length === 0, words: 'Choose a country' },
    '/audience/include': {
      isMissing: audience.include.length === 0,
      words: 'Add users: a segment, a list or an earlier run',
    },
    '/chain': { isMissing: chain.length === 0, words: 'Add a step' },
    '/schedule/time': { isMissing: textOf(schedule, 'time') === '', words: 'Choose a day and time' },
    '/schedule/zone': { isMissing: textOf(schedule, 'zone') === '', words: 'Choose a zone' },
    '/schedule/cron': { isMissing: textOf(schedule, 'cron') === '', words: 'Choose how often it repeats' },
  };
  const found = fields[pointer];
  return found?.isMissing === true ? found.words : null;
}

/** Returns an empty text if the field is missing or not a text. */
function textOf(schedule: CampaignDefinitionInput['schedule'], field: string): string {
  const value = new Map<string, unknown>(Object.entries(schedule ?? {})).get(field);
  return typeof value === 'string' ? value.trim() : '';
}

function describeCountryProblem(country: string, code: string | undefined, detail: string): ProblemText {
  const words: Readonly<Record<string, string>> = {
    'invalid-country': 'is not a country code such as SG',
    'unknown-country': 'is not configured here',
    'repeated-country': 'is listed twice',
  };
  const rest = words[code ?? ''] ?? detail;
  return { atField: `${country} ${rest}`, lead: country === '' ? 'A country' : country, rest };
}

/** Returns the rest of a sentence that begins with the field's name. Null if the API's own text can be shown. */
function describeInvalid({ pointer, code, detail }: PlacedProblem): string | null {
  if (code === undefined) return null;
  if (code === 'past-time') {
    if (pointer === '/schedule/until') return 'is before the first start, so the campaign would never run';
    const country = / in ([A-Z]{2})"/.exec(detail)?.[1];
    return country === undefined ? 'is in the past' : `is in the past in ${country}`;
  }
  if (code === 'invalid-time') return 'is not a day and time such as 2026-12-01 09:00';
  if (code === 'unknown-zone') return 'is not a known time zone such as Asia/Singapore';
  if (code === 'unknown-action') return 'is no longer configured: remove it, or add another';
  if (code === 'unknown-check') return 'is no longer configured: choose another, or none';
  if (code === 'wrong-sum') return 'need shares that add up to 100 %';
  if (code === 'repeated-variant') return 'is the name of another variant of this step';
  const ofChoice = pointer.startsWith('/canary/') ? choiceProblems[code] : undefined;
  if (ofChoice !== undefined) return ofChoice;
  if (code === 'nothing-costs-units') return 'need a step with a cost: enter the cost per user there';
  if (code === 'out-of-range' || code === 'wrong-type') return describeBounds(pointer);
  return null;
}

/** Reasons why no variant can be chosen after the canary, by the code of the API. */
const choiceProblems: Readonly<Record<string, string>> = {
  'no-variants': 'needs a step with variants',
  'no-percent': 'has to be a percentage such as 20 %, so that you can choose a variant',
  'too-few': 'is too small: each variant needs at least 0.01 % of the users',
};

function describeBounds(pointer: string): string | null {
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
    [/^\/chain\/\d+\/variants\/\d+\/weight$/, 'has to be between 0.01 and 99.99 %'],
    [/^\/budgets\/\d+\/units$/, 'has to be a whole number, 0 or more'],
    [/^\/schedule\/catchUpSeconds$/, 'has to be between 0 s and 366 days'],
    [/^\/schedule\/everySeconds$/, 'has to be between 1 s and 366 days'],
  ];
  return bounds.find(([at]) => at.test(pointer))?.[1] ?? null;
}
