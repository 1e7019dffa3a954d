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

const actionType = needed('--action <type>', 'action type of the list; "*" for all action types');
const note = text('--note <text>', 'reason, shown when a run excludes the user');

const list = command({
  name: 'list',
  description: 'list the suppression lists, by action type',
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
  description: 'add users to a list: later claims do not call them',
  options: { actionType, note },
  ask: ({ client, args: [users], options }) => suppressUsers({ client, body: { ...options, users } }),
  refused: 'not added',
  render: ({ added }) => `${added}\n`,
  hint: ({ added, people, lastCallWithinMs, ...upload }) =>
    `${count(added)} added, ${count(people)} people on the list of ${upload.actionType}${lastCallText(lastCallWithinMs)}`,
});

/** Warns that a worker may already have claimed a batch with these users, and may still call within the given time. */
function lastCallText(withinMs: number | null): string {
  if (withinMs === null) return '';
  return `; a call that was claimed before may still begin within ${duration(withinMs / 1000)}`;
}

const remove = command({
  name: 'remove',
  args: ['<user>'],
  description: 'remove a user from a list: later claims may call the user again',
  options: { actionType },
  ask: ({ client, args: [userId], options: query }) => unsuppressUser({ client, path: { userId }, query }),
  render: () => '',
  hint: () => 'not on that list any more',
});

const show = command({
  name: 'show',
  args: ['<user>'],
  description: 'show the lists that contain a user, with time and note',
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
  description: 'upload a list: CSV with a column userId, or one id on each line, also as .gz; - reads standard input',
  options: {
    actionType,
    mode: oneOf('--mode <mode>', 'add to the list, or replace it, after the whole file was read', ['add', 'replace']),
    note,
    confirmRemoved: whole(
      '--confirm-removed <n>',
      'with replace: number of removed users; required if they are more than a tenth of the list',
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
  description: 'list uploads, newest first',
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
  description: 'show an upload and its first rejected rows',
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

export const commands = group('suppressions', 'suppression lists: users whom no run calls', [
  list,
  add,
  remove,
  show,
  upload,
  uploads,
  uploadOf,
]);
