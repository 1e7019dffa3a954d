import type { Client } from '../../sdk/generated/client/types.gen.ts';
import {
  diffCampaignRevisions,
  diffSavedAudienceRevisions,
  diffTemplateRevisions,
  getCampaignRevision,
  getSavedAudienceRevision,
  getTemplateRevision,
  listCampaignRevisions,
  listSavedAudienceRevisions,
  listTemplateRevisions,
  restoreCampaignRevision,
  restoreSavedAudienceRevision,
  restoreTemplateRevision,
} from '../../sdk/generated/sdk.gen.ts';
import type { ListedRevision, RevisionDiff } from '../../sdk/generated/types.gen.ts';
import { command, type CommandRow } from '../frame/command-table.ts';
import { pages } from '../frame/options.ts';
import { UsageError } from '../frame/usage-error.ts';
import { cut, left, renderFacts, renderItems, right, tableOf } from '../show/tables.ts';
import { utcTime } from '../show/times.ts';

interface OfRevision {
  client: Client;
  path: { id: string; revision: number };
}

interface Restored {
  id: string;
  revision: number;
  /** State of a campaign. */
  state?: string;
  warnings?: { detail: string }[];
}

interface Revised {
  /** Argument as shown in `--help`. */
  arg: `<${string}>`;
  list: (request: { client: Client; path: { id: string }; query: { limit: number; cursor?: string } }) => Promise<{
    data: { items: ListedRevision[]; next: string | null };
  }>;
  get: (
    request: OfRevision,
  ) => Promise<{ data: { revision: number; createdAt: string; definition: { name: string } } }>;
  diff: (request: OfRevision & { query: { to?: number } }) => Promise<{ data: RevisionDiff }>;
  restore: (request: OfRevision) => Promise<{ data: Restored }>;
}

const kinds = {
  campaign: {
    arg: '<campaign>',
    list: listCampaignRevisions,
    get: getCampaignRevision,
    diff: diffCampaignRevisions,
    restore: restoreCampaignRevision,
  },
  template: {
    arg: '<template>',
    list: listTemplateRevisions,
    get: getTemplateRevision,
    diff: diffTemplateRevisions,
    restore: restoreTemplateRevision,
  },
  savedAudience: {
    arg: '<audience>',
    list: listSavedAudienceRevisions,
    get: getSavedAudienceRevision,
    diff: diffSavedAudienceRevisions,
    restore: restoreSavedAudienceRevision,
  },
} satisfies Record<string, Revised>;

/** Returns the commands `revisions`, `revision`, `diff` and `restore` of a kind. */
export function revisionCommands(kind: keyof typeof kinds): CommandRow[] {
  const revised: Revised = kinds[kind];
  return [listCommand(revised), showCommand(revised), diffCommand(revised), restoreCommand(revised)];
}

function listCommand({ arg, list }: Revised): CommandRow {
  return command({
    name: 'revisions',
    args: [arg],
    description: 'list revisions, newest first',
    options: pages(20),
    ask: ({ client, args: [id], options: query }) => list({ client, path: { id }, query }),
    render: tableOf<ListedRevision>('', [
      right('revision', ({ revision }) => revision),
      left('written', ({ createdAt }) => utcTime(createdAt)),
      cut('name', ({ name }) => name),
    ]),
  });
}

function showCommand({ arg, get }: Revised): CommandRow {
  return command({
    name: 'revision',
    args: [arg, '<revision>'],
    description: 'show the definition of a revision, field by field',
    ask: ({ client, args: [id, revision] }) => get({ client, path: { id, revision: numberOf(revision) } }),
    render: ({ revision, createdAt, definition: { name, ...fields } }, view) =>
      renderFacts(
        { name, facts: [`revision ${revision}`, utcTime(createdAt)] },
        Object.entries(fields).map(([field, value]) => [field, textOf(value)]),
        view,
      ),
  });
}

function diffCommand({ arg, diff }: Revised): CommandRow {
  return command({
    name: 'diff',
    args: [arg, '<revision>', '[other]'],
    description: 'compare two revisions, field by field; by default with the newest one',
    ask: ({ client, args: [id, from, to] }) =>
      diff({
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
}

function restoreCommand({ arg, restore }: Revised): CommandRow {
  return command({
    name: 'restore',
    args: [arg, '<revision>'],
    description: 'restore an earlier revision as the next one',
    ask: ({ client, args: [id, revision] }) => restore({ client, path: { id, revision: numberOf(revision) } }),
    refused: 'not restored',
    render: ({ id, revision, state }) => `${id} ${state === undefined ? '' : `${state}, `}revision ${revision}\n`,
    hint: ({ warnings = [] }) => warnings.map(({ detail }) => `! ${detail}`),
  });
}

function numberOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`a revision is a whole number from 1, not ${text}`);
  return Number(text);
}

/** Formats a value of a diff. Returns a dash for undefined, if one of the revisions lacks the value. */
function textOf(value: unknown): string {
  if (value === undefined) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
