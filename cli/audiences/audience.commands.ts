import {
  deleteAudience,
  getAudience,
  listAudienceRejects,
  listAudiences,
  listAudienceUsers,
} from '../../sdk/generated/sdk.gen.ts';
import type {
  ListAudienceRejectsResponses,
  ListedAudience,
  ListedUser,
  ReceivedAudience,
  UploadAudienceErrors,
  UploadAudienceResponses,
  UploadedAudience,
} from '../../sdk/generated/types.gen.ts';
import { writeData } from '../frame/command-context.ts';
import { answer, apiOf, byHand, command, group } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import type { View } from '../show/paint.ts';
import { canAsk, isConfirmed } from '../frame/confirm.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { yes } from '../frame/given.ts';
import { needed, oneOf, pages, text, whole, widerLimit } from '../frame/options.ts';
import { revisionCommands } from '../revisions/revision-commands.ts';
import { countCommands } from './count-commands.ts';
import { renderSaved, savedCommands } from './saved-commands.ts';
import { sourcesText } from '../show/sources.ts';
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
  description: 'upload a list: CSV with a column userId, or one id on each line, also as .gz; - reads standard input',
  options: {
    name: needed('--name <name>', 'name, for people'),
    owner: text('--owner <name>', 'team or person to contact; by default the owner of the key'),
    country: text(
      '--country <code|column>',
      'country of all users, or the column of countries if it is not named country',
    ),
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
            url: '/v1/audiences/upload',
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

const noListOfSegments = 'only segments in use: the segmentation service offers no list';

const list = command({
  name: 'list',
  description: 'list uploaded lists, segments and saved audiences, the most used first',
  options: {
    kind: oneOf('--kind <kind>', 'audiences of one kind', ['list', 'segment', 'saved']),
    q: text('--search <text>', 'part of the name or the owner, or of a segment’s id'),
    owner: text('--owner <name>', 'lists and saved audiences of this owner'),
    state: oneOf('--state <state>', 'lists in this state', ['receiving', 'ready', 'failed']),
    used: oneOf(
      '--used <yes>',
      'audiences that a campaign or a saved audience uses, or ready lists and saved audiences without use',
      ['true', 'false'],
    ),
    rejected: oneOf('--rejected <yes>', 'lists with rejected rows, or lists without', ['true', 'false']),
    country: text('--country <code>', 'audiences with users in this country'),
    list: text('--list <aud_…>', 'saved audiences that include or exclude this list'),
    segment: text('--segment <id>', 'saved audiences that include or exclude this segment'),
    ...pages(20, 200),
  },
  ask: ({ client, options: query }) => listAudiences({ client, query }),
  render: tableOf<ListedAudience>('', [
    left('kind', ({ kind }) => kind),
    left('id', ({ id }) => id),
    cut('name', ({ id, name }) => (name === id ? '' : name)),
    cut('owner', ({ owner }) => owner ?? ''),
    cut('countries', ({ countries }) => countries?.join(' ') ?? ''),
    cut('about', ({ audience, description }) => (audience ? sourcesText(audience) : (description ?? ''))),
    right('users', usersText),
    left('as of', ({ size }) => (size?.asOf ? utcTime(size.asOf) : '')),
    right('rejected', ({ rejected }) => rejected ?? ''),
    right('used by', usesText),
    cut('latest', ({ latestUse, latestSaved }) => latestUse?.name ?? latestSaved?.name ?? ''),
    left('created', ({ createdAt }) => (createdAt === null ? '' : utcTime(createdAt))),
    left('deleted on', ({ expiresAt }) => (expiresAt === null ? '' : utcDay(expiresAt))),
  ]),
  hint: ({ items, segmentsFrom, unavailable }, { options: { kind } }) => [
    ...(unavailable === null ? [] : [`only segments in use: ${unavailable}`]),
    ...(kind === 'segment' && segmentsFrom === 'use' && unavailable === null ? [noListOfSegments] : []),
    ...soonDeleted(items, new Date()),
  ],
});

const show = command({
  name: 'show',
  args: ['<audience>'],
  description: 'show a list with its users by country, or a saved audience with its sources; and what uses it',
  ask: ({ client, args: [id] }) => getAudience({ client, path: { id } }),
  render: (audience, view) => (audience.kind === 'list' ? renderList(audience, view) : renderSaved(audience, view)),
});

const rejects = command({
  name: 'rejects',
  args: ['<list>'],
  description: 'list rejected rows with line and rule',
  options: { limit: whole('--limit <n>', 'number of items, up to 1000', 100) },
  ask: ({ client, args: [id], options: query }) => listAudienceRejects({ client, path: { id }, query }),
  render: tableOf<ListAudienceRejectsResponses[200]['items'][number]>('', [
    right('line', ({ line }) => line),
    left('rule', ({ rule }) => rule.replaceAll('-', ' ')),
    cut('value', ({ value }) => value),
  ]),
  more: widerLimit,
});

const users = command({
  name: 'users',
  args: ['<list>'],
  description: 'list the users of a list, with their countries',
  options: { limit: whole('--limit <n>', 'number of items, up to 1000', 100) },
  ask: ({ client, args: [id], options: query }) => listAudienceUsers({ client, path: { id }, query }),
  render: tableOf<ListedUser>('', [left('country', ({ country }) => country), cut('user', ({ user }) => user)]),
  more: widerLimit,
});

const remove = byHand({
  name: 'delete',
  args: ['<audience>'],
  description: 'delete a list, or a saved audience with its revisions; requests a confirmation on a terminal',
  options: yes,
  run: async ({ args: [id], options, context }) => {
    const client = await apiOf(context);
    if (!options.yes && canAsk(context)) {
      const { data } = await getAudience({ client, path: { id } });
      const what = data.kind === 'list' ? `${count(data.users)} users` : `revision ${data.revision}`;
      if (!(await isConfirmed(`${data.name}, ${what}, for good. Delete it?`, context))) {
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

export const commands = group('audience', 'users that campaigns name: uploaded lists, segments and saved audiences', [
  ...[list, show, upload, users, rejects, ...savedCommands, ...revisionCommands('savedAudience'), remove],
  ...countCommands,
]);

/** Formats the number of campaigns that use an audience: `9`, or `9 + 2 saved` with two saved audiences. */
function usesText({ usedBy, usedBySaved }: Pick<ListedAudience, 'usedBy' | 'usedBySaved'>): string {
  return usedBySaved === 0 ? count(usedBy) : `${count(usedBy)} + ${count(usedBySaved)} saved`;
}

/** Formats `1,840`, `about 93,200` or `124,880 to 125,000`. Returns the state instead if the list is not ready. */
function usersText({ state, size }: ListedAudience): string {
  if (state === 'failed' || state === 'receiving') return state;
  if (size === null) return 'not known';
  const { atLeast, atMost, exact } = size;
  if (exact) return count(atLeast);
  if (atMost === null) return `${count(atLeast)} or more`;
  return atLeast === atMost ? `about ${count(atMost)}` : `${count(atLeast)} to ${count(atMost)}`;
}

function renderList(audience: UploadedAudience, view: View): string {
  const { id, name, owner, state, cause, rows, duplicates, rejected, users, countries } = audience;
  const { createdAt, expiresAt, kept, usedBy, usedBySaved } = audience;
  const byCountry = countries.map((each) => `${each.country} ${count(each.users)}`);
  return renderFacts(
    { name, facts: [id, cause === null ? state : `${state}: ${cause}`] },
    [
      ['users', [count(users), ...byCountry].join('  ')],
      ['rows', `${count(rows)}, of them ${count(duplicates)} repeats and ${count(rejected)} that are no user`],
      ['used by', `${count(usedBy)} campaigns, ${count(usedBySaved)} saved audiences`],
      ['owner', owner],
      ['uploaded', utcTime(createdAt)],
      ['kept', kept ? 'until it is deleted by hand' : null],
      ['deleted on', expiresAt === null ? null : `${utcDay(expiresAt)}, unless something keeps it`],
    ],
    view,
  );
}
