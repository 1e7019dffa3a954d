import {
  deleteAudience,
  getAudience,
  listAudienceRejects,
  listAudiences,
  listNamedAudiences,
  renameAudience,
} from '../../sdk/generated/sdk.gen.ts';
import type {
  Audience,
  ListAudienceRejectsResponses,
  NamedAudience,
  ReceivedAudience,
  UploadAudienceErrors,
  UploadAudienceResponses,
} from '../../sdk/generated/types.gen.ts';
import { writeData } from '../frame/command-context.ts';
import { answer, apiOf, byHand, command, group } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import type { View } from '../show/paint.ts';
import { canAsk, isConfirmed } from '../frame/confirm.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { yes } from '../frame/given.ts';
import { needed, oneOf, pages, text, whole, widerLimit } from '../frame/options.ts';
import { countCommands } from './count-commands.ts';
import { count } from '../show/numbers.ts';
import { fileLabel, readingNotes } from '../user-files/file-reading.ts';
import { previewFile } from '../user-files/preview-file.ts';
import { fileRequest, uploadOptions } from '../user-files/upload-file.ts';
import { soonDeleted } from './soon-deleted.ts';
import { cut, left, renderFacts, right, tableOf } from '../show/tables.ts';
import { utcDay, utcTime } from '../show/times.ts';

const upload = byHand({
  name: 'upload',
  args: ['<file>'],
  description: 'upload a list: CSV with a column userId, or an id a line; .gz is sent as it is, - reads standard input',
  options: {
    name: needed('--name <name>', 'what people know it by'),
    owner: text('--owner <name>', 'the team or the person to ask about it; otherwise the owner of the key'),
    country: text('--country <code|column>', 'of all its users, or the column of countries unless it is named country'),
    ...uploadOptions,
  },
  run: (call) => {
    const { options, context } = call;
    const { gzip, preview, name, owner, ...columns } = options;
    const [file] = call.args;
    if (preview) return previewFile({ file, query: columns, gzip, context });
    return answer(
      {
        ask: async ({ client }) =>
          client.post<UploadAudienceResponses, UploadAudienceErrors, true>({
            url: '/v1/audiences',
            query: { name, owner, ...columns },
            ...(await fileRequest(file, { gzip, input: context.input })),
          }),
        refused: 'not uploaded',
        labelOf: fileLabel,
        render: ({ id }: ReceivedAudience) => `${id}\n`,
        hint: receivedNotes,
      },
      call,
    );
  },
});

function receivedNotes({ id, users, duplicates, rejected, expiresAt, reading }: ReceivedAudience): string[] {
  const repeated = duplicates === 0 ? '' : `, ${count(duplicates)} rows repeat one of them`;
  const rest = rejected === 0 ? '' : `, ${count(rejected)} are no user: muster audience rejects ${id}`;
  const end =
    expiresAt === null ? '' : `; deleted on ${utcDay(expiresAt)}, unless a campaign or a saved audience keeps it`;
  return [`${count(users)} users${repeated}${rest}${end}`, ...readingNotes(reading)];
}

const list = command({
  name: 'list',
  description: 'uploaded lists, newest first',
  options: {
    q: text('--name <text>', 'those whose name holds it'),
    owner: text('--owner <name>', 'those of it'),
    state: oneOf('--state <state>', 'those in it', ['receiving', 'ready', 'failed']),
    rejected: oneOf('--rejected <yes>', 'those with rows that are no user, or those without', ['true', 'false']),
    used: oneOf('--used <yes>', 'those that a campaign or a saved audience names, or the others', ['true', 'false']),
    ...pages(20),
  },
  ask: ({ client, options: query }) => listAudiences({ client, query }),
  render: tableOf<Audience>('', [
    left('id', ({ id }) => id),
    cut('name', ({ name }) => name),
    cut('owner', ({ owner }) => owner ?? ''),
    left('state', ({ state }) => state),
    cut('countries', ({ countries }) => countries.map(({ country }) => country).join(' ')),
    right('users', ({ users }) => users),
    right('rejected', ({ rejected }) => rejected),
    right('used by', usesText),
    left('uploaded', ({ createdAt }) => utcTime(createdAt)),
    left('deleted on', endText),
  ]),
  hint: ({ items }) => soonDeleted(items, new Date()),
});

const all = command({
  name: 'all',
  description: 'lists, segments and saved audiences together, the most used first',
  options: {
    q: text('--search <text>', 'part of the name or the owner, or of a segment’s id'),
    owner: text('--owner <name>', 'lists and saved audiences of it'),
    kind: oneOf('--kind <kind>', 'those of one kind', ['list', 'segment', 'saved']),
    used: oneOf(
      '--used <yes>',
      'those that a campaign or a saved audience uses, or lists and saved ones that none does',
      ['true', 'false'],
    ),
    rejected: oneOf('--rejected <yes>', 'lists with rows that are no user, or those without', ['true', 'false']),
    ...pages(20, 200),
  },
  ask: ({ client, options: query }) => listNamedAudiences({ client, query }),
  render: tableOf<NamedAudience>('', [
    left('kind', ({ kind }) => kind),
    left('id', ({ id }) => id),
    cut('name', ({ id, name }) => (name === id ? '' : name)),
    right('users', ({ size }) => sizeText(size)),
    left('as of', ({ size }) => (size?.asOf ? utcTime(size.asOf) : '')),
    right('used by', usesText),
    cut('latest', ({ latestUse, latestSaved }) => latestUse?.name ?? latestSaved?.name ?? ''),
    left('deleted on', endText),
  ]),
  hint: ({ items, unavailable }) => [
    ...(unavailable === null ? [] : [`only segments that something names: ${unavailable}`]),
    ...soonDeleted(items, new Date()),
  ],
});

const show = command({
  name: 'show',
  args: ['<list>'],
  description: 'one list: users by country, and what was left out of it',
  ask: ({ client, args: [id] }) => getAudience({ client, path: { id } }),
  render: renderAudience,
});

const rejects = command({
  name: 'rejects',
  args: ['<list>'],
  description: 'rows that are no user, with line and rule',
  options: { limit: whole('--limit <n>', 'how many, up to 1000', 100) },
  ask: ({ client, args: [id], options: query }) => listAudienceRejects({ client, path: { id }, query }),
  render: tableOf<ListAudienceRejectsResponses[200]['items'][number]>('', [
    right('line', ({ line }) => line),
    left('rule', ({ rule }) => rule.replaceAll('-', ' ')),
    cut('value', ({ value }) => value),
  ]),
  more: widerLimit,
});

const rename = command({
  name: 'rename',
  args: ['<list>', '<name>'],
  description: 'give a list another name; campaigns go on as they are',
  ask: ({ client, args: [id, name] }) => renameAudience({ client, path: { id }, body: { name } }),
  render: ({ id, name }) => `${id} ${name}\n`,
});

const describe = command({
  name: 'describe',
  args: ['<list>'],
  description: "whom to ask about a list; '' takes it away",
  options: { owner: needed('--owner <name>', 'the team or the person to ask about it') },
  ask: ({ client, args: [id], options: { owner } }) =>
    renameAudience({ client, path: { id }, body: { owner: owner === '' ? null : owner } }),
  refused: 'not changed',
  render: ({ id, owner }) => `${id}${owner === null ? '' : ` · owner ${owner}`}\n`,
});

const remove = byHand({
  name: 'delete',
  args: ['<list>'],
  description: 'delete a list for good; asks first where a person can answer',
  options: yes,
  run: async ({ args: [id], options, context }) => {
    const client = await apiOf(context);
    if (!options.yes && canAsk(context)) {
      const { name, users } = (await getAudience({ client, path: { id } })).data;
      if (!(await isConfirmed(`${name}, ${count(users)} users, for good. Delete it?`, context))) {
        context.terminal.note('not deleted\n');
        return exitCodes.failure;
      }
    }
    await deleteAudience({ client, path: { id } });
    writeData(context, { id, deleted: true }, () => `${id} deleted\n`);
    return exitCodes.ok;
  },
});

export const heading: Heading = 'Audiences';

export const commands = group(
  'audience',
  'uploaded lists of users, which campaigns can name; and how many are in an audience',
  [...[upload, list, all, show, rejects, rename, describe, remove], ...countCommands],
);

/** Formats `9` campaigns, or `9 + 2 saved`. */
function usesText({ usedBy, usedBySaved }: Pick<NamedAudience, 'usedBy' | 'usedBySaved'>): string {
  return usedBySaved === 0 ? count(usedBy) : `${count(usedBy)} + ${count(usedBySaved)} saved`;
}

/** Formats `1,840`, `about 93,200` or `124,880 to 125,000`. */
function sizeText(size: NamedAudience['size']): string {
  if (size === null) return 'not known';
  const { atLeast, atMost, exact } = size;
  if (exact) return count(atLeast);
  if (atMost === null) return `${count(atLeast)} or more`;
  return atLeast === atMost ? `about ${count(atMost)}` : `${count(atLeast)} to ${count(atMost)}`;
}

function endText({ expiresAt }: Pick<NamedAudience, 'expiresAt'>): string {
  return expiresAt === null ? '' : utcDay(expiresAt);
}

function renderAudience(audience: Audience, view: View): string {
  const { id, name, owner, state, cause, rows, duplicates, rejected, users, countries } = audience;
  const { createdAt, expiresAt, usedBy, usedBySaved } = audience;
  const byCountry = countries.map((each) => `${each.country} ${count(each.users)}`);
  return renderFacts(
    { name, facts: [id, cause === null ? state : `${state}: ${cause}`] },
    [
      ['users', [count(users), ...byCountry].join('  ')],
      ['rows', `${count(rows)}, of them ${count(duplicates)} repeats and ${count(rejected)} that are no user`],
      ['used by', `${count(usedBy)} campaigns, ${count(usedBySaved)} saved audiences`],
      ['owner', owner],
      ['uploaded', utcTime(createdAt)],
      ['deleted on', expiresAt === null ? null : `${utcDay(expiresAt)}, unless something keeps it`],
    ],
    view,
  );
}
