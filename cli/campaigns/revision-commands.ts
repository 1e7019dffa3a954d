import { diffCampaignRevisions, listCampaignRevisions, restoreCampaignRevision } from '../../sdk/generated/sdk.gen.ts';
import type { ListedRevision, RevisionDiff } from '../../sdk/generated/types.gen.ts';
import { command } from '../frame/command-table.ts';
import { pages } from '../frame/options.ts';
import { UsageError } from '../frame/usage-error.ts';
import { cut, left, renderItems, right, tableOf } from '../show/tables.ts';
import { utcTime } from '../show/times.ts';

const revisions = command({
  name: 'revisions',
  args: ['<campaign>'],
  said: 'what it was before, the newest first',
  options: pages(20),
  ask: ({ client, args: [id], options: query }) => listCampaignRevisions({ client, path: { id }, query }),
  shown: tableOf<ListedRevision>('', [
    right('revision', ({ revision }) => revision),
    left('written', ({ createdAt }) => utcTime(createdAt)),
    cut('name', ({ name }) => name),
  ]),
});

const diff = command({
  name: 'diff',
  args: ['<campaign>', '<revision>', '[other]'],
  said: 'what differs between two revisions, field by field; to the newest one where the other is not given',
  ask: ({ client, args: [id, from, to] }) =>
    diffCampaignRevisions({
      client,
      path: { id, revision: numberOf(from) },
      query: to === undefined ? {} : { to: numberOf(to) },
    }),
  shown: ({ from, to, differences }, view) =>
    differences.length === 0
      ? `revisions ${from} and ${to} are the same\n`
      : renderItems(
          differences,
          [
            left('field', ({ pointer }) => pointer.slice(1)),
            cut<RevisionDiff['differences'][number]>(`revision ${from}`, ({ before }) => textOf(before)),
            cut(`revision ${to}`, ({ after }) => textOf(after)),
          ],
          view,
        ),
});

const restore = command({
  name: 'restore',
  args: ['<campaign>', '<revision>'],
  said: 'give a draft the definition of an earlier revision, as its next one',
  ask: ({ client, args: [id, revision] }) =>
    restoreCampaignRevision({ client, path: { id, revision: numberOf(revision) } }),
  refused: 'not restored',
  shown: ({ id, state, revision }) => `${id} ${state}, revision ${revision}\n`,
  noted: ({ warnings }) => warnings.map(({ detail }) => `! ${detail}`),
});

export const revisionCommands = [revisions, diff, restore];

function numberOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`a revision is a whole number from 1, not ${text}`);
  return Number(text);
}

/** What is not there on one side is a dash. */
function textOf(value: unknown): string {
  if (value === undefined) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
