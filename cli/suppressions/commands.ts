import {
  getSuppressedUser,
  getSuppressionUpload,
  listSuppressionLists,
  listSuppressionUploads,
  suppressUsers,
  unsuppressUser,
} from '../../sdk/generated/sdk.gen.ts';
import type {
  ReceivedSuppressions,
  SuppressionList,
  SuppressionUpload,
  UploadSuppressionsErrors,
  UploadSuppressionsResponses,
} from '../../sdk/generated/types.gen.ts';
import { answer, byHand, command, group } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import type { View } from '../show/paint.ts';
import { needed, oneOf, pages, text, whole } from '../frame/options.ts';
import { count, duration } from '../show/numbers.ts';
import { cut, left, renderFacts, right, tableOf } from '../show/tables.ts';
import { fileLabel, readingNotes } from '../user-files/file-reading.ts';
import { utcTime } from '../show/times.ts';
import { previewFile } from '../user-files/preview-file.ts';
import { fileRequest, uploadOptions } from '../user-files/upload-file.ts';

const actionType = needed('--action <type>', 'whose list; "*" for that of all action types');
const note = text('--note <text>', 'why, for people; shown where a run has left somebody out');

const list = command({
  name: 'list',
  description: 'lists of people whom no run calls, by action type',
  ask: ({ client }) => listSuppressionLists({ client }),
  render: tableOf<SuppressionList>('', [
    left('action type', (each) => each.actionType),
    right('people', ({ people }) => people),
    right('version', ({ version }) => version),
    left('changed', ({ changedAt }) => utcTime(changedAt)),
  ]),
});

const add = command({
  name: 'add',
  args: ['<user...>'],
  description: 'put people on a list: nothing that is claimed from then on calls them',
  options: { actionType, note },
  ask: ({ client, args: [users], options }) => suppressUsers({ client, body: { ...options, users } }),
  refused: 'not added',
  render: ({ added }) => `${added}\n`,
  hint: ({ added, people, lastCallWithinMs, ...upload }) =>
    `${count(added)} added, ${count(people)} people on the list of ${upload.actionType}${lastCallText(lastCallWithinMs)}`,
});

/** Warns that a batch with these users may have been claimed before. */
function lastCallText(withinMs: number | null): string {
  if (withinMs === null) return '';
  return `; a call that was claimed before may still begin within ${duration(withinMs / 1000)}`;
}

const remove = command({
  name: 'remove',
  args: ['<user>'],
  description: 'take somebody off a list: what is claimed from then on may call them again',
  options: { actionType },
  ask: ({ client, args: [userId], options: query }) => unsuppressUser({ client, path: { userId }, query }),
  render: () => '',
  hint: () => 'not on that list any more',
});

const show = command({
  name: 'show',
  args: ['<user>'],
  description: 'the lists that somebody is on, since when and why',
  ask: ({ client, args: [userId] }) => getSuppressedUser({ client, path: { userId } }),
  render: ({ lists }, view) => renderLists(lists, view),
});

const renderLists = (
  lists: readonly { actionType: string; note: string | null; addedAt: string }[],
  view: View,
): string =>
  tableOf<(typeof lists)[number]>('on no suppression list', [
    left('action type', (each) => each.actionType),
    left('since', ({ addedAt }) => utcTime(addedAt)),
    cut('note', (each) => each.note ?? ''),
  ])({ items: [...lists] }, view);

const upload = byHand({
  name: 'upload',
  args: ['<file>'],
  description:
    'load a list from a file: CSV with a column userId, or an id a line; .gz is sent as it is, - reads standard input',
  options: {
    actionType,
    mode: oneOf('--mode <mode>', 'add to the list, or replace it; at the end of the file', ['add', 'replace']),
    note,
    confirmRemoved: whole(
      '--confirm-removed <n>',
      'with replace: how many people leave the list; needed if they are more than a tenth of it',
    ),
    ...uploadOptions,
  },
  run: (call) => {
    const { options, context } = call;
    const { gzip, preview, ...query } = options;
    const [file] = call.args;
    if (preview) {
      const { user, header, acceptRejected } = options;
      return previewFile({ file, query: { countries: 'none', user, header, acceptRejected }, gzip, context });
    }
    return answer(
      {
        ask: async ({ client }) =>
          client.post<UploadSuppressionsResponses, UploadSuppressionsErrors, true>({
            url: '/v1/suppressions/uploads',
            query,
            ...(await fileRequest(file, { gzip, input: context.input })),
          }),
        refused: 'not loaded',
        labelOf: (pointer) => (pointer === '/confirmRemoved' ? '--confirm-removed' : fileLabel(pointer)),
        render: ({ id }: ReceivedSuppressions) => `${id}\n`,
        hint: receivedNotes,
      },
      call,
    );
  },
});

function receivedNotes({ id, mode, people, rejected, lastCallWithinMs, reading }: ReceivedSuppressions): string[] {
  const came = mode === 'add' ? `${count(people)} people added` : `${count(people)} people on the list now`;
  const wrong = rejected === 0 ? '' : `, ${count(rejected)} rows are no user: muster suppressions upload-of ${id}`;
  return [`${came}${wrong}${lastCallText(lastCallWithinMs)}`, ...readingNotes(reading)];
}

const uploads = command({
  name: 'uploads',
  description: 'files that lists were loaded from, newest first',
  options: pages(20),
  ask: ({ client, options: query }) => listSuppressionUploads({ client, query }),
  render: tableOf<SuppressionUpload>('', [
    left('id', ({ id }) => id),
    left('action type', (each) => each.actionType),
    left('mode', ({ mode }) => mode),
    left('state', ({ state }) => state),
    right('people', ({ people }) => people),
    right('rejected', ({ rejected }) => rejected),
    left('begun', ({ createdAt }) => utcTime(createdAt)),
  ]),
});

const uploadOf = command({
  name: 'upload-of',
  args: ['<upload>'],
  description: 'what came of a file, and the first of its rows that are no user',
  ask: ({ client, args: [id] }) => getSuppressionUpload({ client, path: { id } }),
  render: renderUpload,
});

function renderUpload(upload: SuppressionUpload, view: View): string {
  const { id, state, cause, rows, people, rejected, rejects, mode, createdAt } = upload;
  const lines = rejects.map(
    ({ line, rule, value }) => [`line ${line}`, `${rule.replaceAll('-', ' ')}: ${value}`] as const,
  );
  return renderFacts(
    { name: upload.actionType, facts: [id, mode, cause === null ? state : `${state}: ${cause}`] },
    [
      ['people', count(people)],
      ['rows', `${count(rows)}, of them ${count(rejected)} that are no user`],
      ['begun', utcTime(createdAt)],
      ...lines.map(([name, description]): [string, string] => [name, description]),
    ],
    view,
  );
}

export const heading: Heading = 'Audiences';

export const commands = group('suppressions', 'people whom no run calls', [
  list,
  add,
  remove,
  show,
  upload,
  uploads,
  uploadOf,
]);
