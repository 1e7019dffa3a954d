import { z } from 'zod';
import type { Client } from '../../sdk/generated/client/types.gen.ts';
import {
  beginExactCount,
  cancelExactCount,
  getAudience,
  getCampaign,
  getExactCount,
  listExactCounts,
  previewAudience,
} from '../../sdk/generated/sdk.gen.ts';
import type { ExactCount, ExactCountRequestInput, AudienceParts } from '../../sdk/generated/types.gen.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { audienceOf, type AudienceOptions } from '../campaigns/audience-options.ts';
import { definitionOptions } from '../campaigns/definition-options.ts';
import { optionLabel } from '../campaigns/definition.ts';
import { renderEstimate } from '../show/render-estimate.ts';
import { entryText, sourcesText } from '../show/sources.ts';
import { command } from '../frame/command-table.ts';
import type { View } from '../show/paint.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { flag, pages, several } from '../frame/options.ts';
import { UsageError } from '../frame/usage-error.ts';
import { count } from '../show/numbers.ts';
import { cut, left, renderFacts, right, tableOf } from '../show/tables.ts';
import { utcTime } from '../show/times.ts';

const pollEveryMs = 1000;

const manner = {
  recount: flag('--recount', 'count again, even if the result is known'),
  wait: flag('--wait', 'wait for the result'),
};

/** Options for countries and audience sources, the same as for campaigns. */
const sources = {
  countries: definitionOptions.countries,
  segment: definitionOptions.segment,
  list: definitionOptions.list,
  run: definitionOptions.run,
  excludeSegment: definitionOptions.excludeSegment,
  excludeList: definitionOptions.excludeList,
  excludeRun: definitionOptions.excludeRun,
};

const preview = command({
  name: 'preview',
  args: ['[audience]'],
  description: 'estimate the users of a saved audience, or of the sources in the options; `count` counts exactly',
  options: sources,
  ask: async ({ client, args: [id], options }) =>
    previewAudience({ client, body: id === undefined ? sourcesIn(options) : { id } }),
  refused: 'not estimated',
  labelOf: optionLabel,
  render: renderEstimate,
});

const countOne = command({
  name: 'count',
  args: ['[campaign|audience]'],
  description:
    'count the users of a campaign, of a saved audience, or of the sources in the options, exactly; or the users in two audiences',
  options: {
    ...sources,
    withSegment: several('--with-segment <id>', 'also count the users who are in this segment'),
    withList: several('--with-list <aud_…>', 'also count the users who are in this list'),
    withRun: several('--with-run <run_…[:outcomes][@step]>', 'also count the users of an earlier run'),
    ...manner,
  },
  ask: async ({ client, args: [id], options: { recount, wait, ...options } }) => {
    const question = await questionOf(id, options, client);
    const { data } = await beginExactCount({ client, body: { ...question, ...(recount && { recount }) } });
    return { data: wait ? await untilEnded(data, client) : data };
  },
  refused: 'not counted',
  render: renderCount,
  hint: ({ id, state }) => (state === 'waiting' || state === 'running' ? `muster audience counted ${id}` : []),
  code: ({ state }) => (state === 'failed' ? exitCodes.failure : exitCodes.ok),
});

const show = command({
  name: 'counted',
  args: ['<count>'],
  description: 'show the result or the progress of an exact count',
  options: { wait: manner.wait },
  ask: async ({ client, args: [id], options: { wait } }) => {
    const { data } = await getExactCount({ client, path: { id } });
    return { data: wait ? await untilEnded(data, client) : data };
  },
  render: renderCount,
  code: ({ state }) => (state === 'failed' ? exitCodes.failure : exitCodes.ok),
});

const list = command({
  name: 'counts',
  description: 'list exact counts, newest first, with their requester',
  options: pages(20),
  ask: ({ client, options: query }) => listExactCounts({ client, query }),
  render: tableOf<ExactCount>('', [
    left('id', ({ id }) => id),
    left('state', ({ state }) => state),
    right('users', ({ users }) => users),
    right('in both', ({ both }) => both ?? ''),
    cut('of', ({ audience, countries }) => `${sourcesText(audience)} in ${countries.join(' ')}`),
    cut('requested by', ({ requestedBy: requester }) => requester),
    left('asked', ({ requestedAt }) => utcTime(requestedAt)),
  ]),
});

const cancel = command({
  name: 'cancel-count',
  args: ['<count>'],
  description: 'cancel an exact count',
  ask: ({ client, args: [id] }) => cancelExactCount({ client, path: { id } }),
  render: ({ id, state }) => `${id} ${state}\n`,
});

export const countCommands = [preview, countOne, show, list, cancel];

/** Accepts any value, because the API validates the audience. */
const asWritten = z.custom<ExactCountRequestInput['audience']>();

interface SourceOptions extends AudienceOptions {
  countries?: string;
}

interface QuestionOptions extends SourceOptions {
  withSegment?: string[];
  withList?: string[];
  withRun?: string[];
}

async function questionOf(
  id: string | undefined,
  { withSegment, withList, withRun, ...who }: QuestionOptions,
  client: Client,
): Promise<ExactCountRequestInput> {
  const other = { segment: withSegment, list: withList, run: withRun };
  const isOverlap = Object.values(other).some((each) => each !== undefined);
  const second = isOverlap && { with: asWritten.parse(audienceOf(other)) };
  return { ...(id === undefined ? sourcesIn(who) : await sourcesOf(id, client)), ...second };
}

type Sources = Pick<ExactCountRequestInput, 'countries' | 'audience'>;

/** @throws {UsageError} without countries */
function sourcesIn({ countries, ...who }: SourceOptions): Sources {
  if (countries === undefined)
    throw new UsageError('name the countries with --countries, or a campaign or an audience');
  return { countries: countries.split(',').map((code) => code.trim()), audience: asWritten.parse(audienceOf(who)) };
}

/** Returns the countries and sources of a campaign or a saved audience, without the hold-out. */
async function sourcesOf(id: string, client: Client): Promise<Sources> {
  const path = { id };
  if (!id.startsWith('sav_')) return withoutHoldOut((await getCampaign({ client, path })).data);
  const { data } = await getAudience({ client, path });
  if (data.kind !== 'saved') throw new UsageError(`${id} is no saved audience`);
  return withoutHoldOut(data);
}

function withoutHoldOut({ countries, audience: { include, exclude } }: Sources): Sources {
  return { countries, audience: { include, ...(exclude && { exclude }) } };
}

async function untilEnded(first: ExactCount, client: Client): Promise<ExactCount> {
  let seen = first;
  while (seen.state === 'waiting' || seen.state === 'running') {
    await systemClock.sleep(pollEveryMs);
    seen = (await getExactCount({ client, path: { id: seen.id } })).data;
  }
  return seen;
}

function renderCount(counted: ExactCount, view: View): string {
  const {
    id,
    state,
    cause,
    users,
    excluded,
    shared,
    withUsers,
    both,
    requestedBy: requester,
    requestedAt,
    endedAt,
  } = counted;
  const byCountry = counted.counted.map((line) => `${line.country} ${count(line.users)}${line.done ? '' : ' so far'}`);
  return renderFacts(
    {
      name: `${count(users)} users${state === 'done' ? '' : ' so far'}`,
      facts: [id, cause ? `${state}: ${cause}` : state],
    },
    [
      ['of', `${sourcesText(counted.audience)} in ${counted.countries.join(' ')}`],
      ['by country', byCountry.join('  ')],
      ...(counted.with
        ? ([
            ['with', sourcesText(counted.with)],
            ['in both', `${count(both ?? 0)}; only in the first ${count(users - (both ?? 0))}`],
            ['only there', count((withUsers ?? 0) - (both ?? 0))],
          ] as const)
        : counted.parts === null
          ? ([
              ['left out', count(excluded)],
              ['in several', count(shared)],
            ] as const)
          : ([['sum', sumLines(counted, counted.parts)]] as const)),
      ['asked', `${utcTime(requestedAt)} by ${requester}`],
      ['counted', endedAt === null ? null : utcTime(endedAt)],
    ],
    view,
  );
}

/** Formats lines such as `+ 1,200 segment riders`, `- 10 segment staff`, `= 1,190`. */
function sumLines({ audience, users, countries }: ExactCount, parts: AudienceParts): string[] {
  const { include, exclude = [] } = audience;
  const { repeated, elsewhere } = parts;
  return [
    ...include.map((entry, index) => `+ ${count(parts.include[index] ?? 0)}  ${entryText(entry)}`),
    ...(include.length > 1 ? [`- ${count(repeated)}  in several of them, served once`] : []),
    ...exclude.map((entry, index) => `- ${count(parts.exclude[index] ?? 0)}  ${entryText(entry)}`),
    ...(countries.length > 1 ? [`- ${count(elsewhere)}  counted in another country`] : []),
    `= ${count(users)}`,
  ];
}
