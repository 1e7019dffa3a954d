import type { Client } from '../../sdk/generated/client/types.gen.ts';
import type { ListedRevision, RevisionDiff } from '../../sdk/generated/types.gen.ts';
import { command, type CommandRow } from '../frame/command-table.ts';
import { pages } from '../frame/options.ts';
import { UsageError } from '../frame/usage-error.ts';
import { cut, left, renderItems, right, tableOf } from '../show/tables.ts';
import { utcTime } from '../show/times.ts';

interface OfRevision {
  client: Client;
  path: { id: string; revision: number };
}

/** API calls for a resource with revisions. */
interface Revised<Restored> {
  /** Argument as shown in `--help`, such as `<campaign>`. */
  arg: `<${string}>`;
  list: (asked: { client: Client; path: { id: string }; query: { limit: number; cursor?: string } }) => Promise<{
    data: { items: ListedRevision[]; next: string | null };
  }>;
  diff: (asked: OfRevision & { query: { to?: number } }) => Promise<{ data: RevisionDiff }>;
  restore: (asked: OfRevision) => Promise<{ data: Restored }>;
  restored: (data: Restored) => string;
  warned?: (data: Restored) => string[];
}

export function revisionCommands<Restored>({ arg, ...asks }: Revised<Restored>): CommandRow[] {
  const revisions = command({
    name: 'revisions',
    args: [arg],
    description: 'what it was before, the newest first',
    options: pages(20),
    ask: ({ client, args: [id], options: query }) => asks.list({ client, path: { id }, query }),
    render: tableOf<ListedRevision>('', [
      right('revision', ({ revision }) => revision),
      left('written', ({ createdAt }) => utcTime(createdAt)),
      cut('name', ({ name }) => name),
    ]),
  });

  const diff = command({
    name: 'diff',
    args: [arg, '<revision>', '[other]'],
    description: 'what differs between two revisions, field by field; to the newest one where the other is not given',
    ask: ({ client, args: [id, from, to] }) =>
      asks.diff({
        client,
        path: { id, revision: numberOf(from) },
        query: to === undefined ? {} : { to: numberOf(to) },
      }),
    render: ({ from, to, differences }, view) =>
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
    args: [arg, '<revision>'],
    description: 'make what it was in an earlier revision its next one',
    ask: ({ client, args: [id, revision] }) => asks.restore({ client, path: { id, revision: numberOf(revision) } }),
    refused: 'not restored',
    render: asks.restored,
    hint: (data) => asks.warned?.(data) ?? [],
  });

  return [revisions, diff, restore];
}

function numberOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`a revision is a whole number from 1, not ${text}`);
  return Number(text);
}

/** Formats a value; a dash if one side lacks it. */
function textOf(value: unknown): string {
  if (value === undefined) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
