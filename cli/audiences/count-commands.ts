import { z } from 'zod';
import type { Client } from '../../sdk/generated/client/types.gen.ts';
import {
  cancelAudienceCount,
  countAudience,
  getAudienceCount,
  getCampaign,
  listAudienceCounts,
} from '../../sdk/generated/sdk.gen.ts';
import type { AudienceCount, AudienceCountRequestInput, AudienceParts } from '../../sdk/generated/types.gen.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { audienceOf, type AudienceOptions } from '../campaigns/audience-options.ts';
import { entryText } from '../show/sources.ts';
import { command } from '../frame/command-table.ts';
import type { View } from '../show/paint.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { flag, pages, several, text } from '../frame/options.ts';
import { UsageError } from '../frame/usage-error.ts';
import { count } from '../show/numbers.ts';
import { cut, left, renderFacts, right, tableOf } from '../show/tables.ts';
import { utcTime } from '../show/times.ts';

const lookEveryMs = 1000;

const manner = {
  anew: flag('--anew', 'although the same was counted before'),
  wait: flag('--wait', 'until it is counted'),
};

const countOne = command({
  name: 'count',
  args: ['[campaign]'],
  description: 'count an audience exactly, of a campaign or of what the options say; or how many are in two',
  options: {
    countries: text('--countries <list>', 'where: country codes, such as SG,ID,VN'),
    segment: several('--segment <id>', 'who: a segment; repeatable, as all of these'),
    list: several('--list <aud_…>', 'who: an uploaded list'),
    run: several('--run <run_…[:outcomes][@step]>', 'who: users of an earlier run'),
    excludeSegment: several('--exclude-segment <id>', 'and nobody who is in this segment'),
    excludeList: several('--exclude-list <aud_…>', 'nor in this list'),
    excludeRun: several('--exclude-run <run_…[:outcomes][@step]>', 'nor among these users of an earlier run'),
    withSegment: several('--with-segment <id>', 'how many of them are in this segment too'),
    withList: several('--with-list <aud_…>', 'or in this list'),
    withRun: several('--with-run <run_…[:outcomes][@step]>', 'or among these users of an earlier run'),
    ...manner,
  },
  ask: async ({ client, args: [campaign], options: { anew, wait, ...options } }) => {
    const asked = await questionOf(campaign, options, client);
    const { data } = await countAudience({ client, body: { ...asked, ...(anew && { anew }) } });
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
  description: 'what an exact count has come to, or how far it is',
  options: { wait: manner.wait },
  ask: async ({ client, args: [id], options: { wait } }) => {
    const { data } = await getAudienceCount({ client, path: { id } });
    return { data: wait ? await untilEnded(data, client) : data };
  },
  render: renderCount,
  code: ({ state }) => (state === 'failed' ? exitCodes.failure : exitCodes.ok),
});

const list = command({
  name: 'counts',
  description: 'exact counts, newest first, with who asked',
  options: pages(20),
  ask: ({ client, options: query }) => listAudienceCounts({ client, query }),
  render: tableOf<AudienceCount>('', [
    left('id', ({ id }) => id),
    left('state', ({ state }) => state),
    right('users', ({ users }) => users),
    right('in both', ({ both }) => both ?? ''),
    cut('of', ({ audience, countries }) => `${partsText(audience)} in ${countries.join(' ')}`),
    cut('asked by', ({ askedBy }) => askedBy),
    left('asked', ({ askedAt }) => utcTime(askedAt)),
  ]),
});

const cancel = command({
  name: 'cancel-count',
  args: ['<count>'],
  description: 'end an exact count before it is done',
  ask: ({ client, args: [id] }) => cancelAudienceCount({ client, path: { id } }),
  render: ({ id, state }) => `${id} ${state}\n`,
});

export const countCommands = [countOne, show, list, cancel];

/** The API validates the audience. */
const asWritten = z.custom<AudienceCountRequestInput['audience']>();

interface QuestionOptions extends AudienceOptions {
  countries?: string;
  withSegment?: string[];
  withList?: string[];
  withRun?: string[];
}

async function questionOf(
  campaign: string | undefined,
  { countries, withSegment, withList, withRun, ...who }: QuestionOptions,
  client: Client,
): Promise<AudienceCountRequestInput> {
  const other = { segment: withSegment, list: withList, run: withRun };
  const isOverlap = Object.values(other).some((each) => each !== undefined);
  const second = isOverlap && { with: asWritten.parse(audienceOf(other)) };
  if (campaign !== undefined) {
    const { data } = await getCampaign({ client, path: { id: campaign } });
    const { include, exclude } = data.audience;
    return { countries: data.countries, audience: { include, ...(exclude && { exclude }) }, ...second };
  }
  if (countries === undefined) throw new UsageError('say where by --countries, or which campaign');
  const audience = asWritten.parse(audienceOf(who));
  return { countries: countries.split(',').map((code) => code.trim()), audience, ...second };
}

async function untilEnded(first: AudienceCount, client: Client): Promise<AudienceCount> {
  let seen = first;
  while (seen.state === 'waiting' || seen.state === 'running') {
    await systemClock.sleep(lookEveryMs);
    seen = (await getAudienceCount({ client, path: { id: seen.id } })).data;
  }
  return seen;
}

function renderCount(counted: AudienceCount, view: View): string {
  const { id, state, cause, users, excluded, shared, withUsers, both, askedBy, askedAt, endedAt } = counted;
  const byCountry = counted.counted.map((line) => `${line.country} ${count(line.users)}${line.done ? '' : ' so far'}`);
  return renderFacts(
    {
      name: `${count(users)} users${state === 'done' ? '' : ' so far'}`,
      facts: [id, cause ? `${state}: ${cause}` : state],
    },
    [
      ['of', `${partsText(counted.audience)} in ${counted.countries.join(' ')}`],
      ['by country', byCountry.join('  ')],
      ...(counted.with
        ? ([
            ['with', partsText(counted.with)],
            ['in both', `${count(both ?? 0)}; only in the first ${count(users - (both ?? 0))}`],
            ['only there', count((withUsers ?? 0) - (both ?? 0))],
          ] as const)
        : counted.parts === null
          ? ([
              ['left out', count(excluded)],
              ['in several', count(shared)],
            ] as const)
          : ([['sum', sumLines(counted, counted.parts)]] as const)),
      ['asked', `${utcTime(askedAt)} by ${askedBy}`],
      ['counted', endedAt === null ? null : utcTime(endedAt)],
    ],
    view,
  );
}

/** Formats lines such as `+ 1,200 segment riders`, `- 10 segment staff`, `= 1,190`. */
function sumLines({ audience, users, countries }: AudienceCount, parts: AudienceParts): string[] {
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

function partsText({ include, exclude = [] }: AudienceCount['audience']): string {
  const without = exclude.length === 0 ? '' : `, without ${exclude.map(entryText).join(', ')}`;
  return `${include.map(entryText).join(', ')}${without}`;
}
