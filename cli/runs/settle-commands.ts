import type { Client } from '../../sdk/generated/client/types.gen.ts';
import { listSettlements, settleRun } from '../../sdk/generated/sdk.gen.ts';
import type {
  Settlement,
  SettleRequestInput,
  SettleRunErrors,
  SettleRunResponses,
} from '../../sdk/generated/types.gen.ts';
import type { CommandContext } from '../frame/command-context.ts';
import { answer, byHand, command } from '../frame/command-table.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { flag, oneOf, text, whole } from '../frame/options.ts';
import { UsageError } from '../frame/usage-error.ts';
import { fileLabel, fileOptions } from '../user-files/file-reading.ts';
import { previewFile } from '../user-files/preview-file.ts';
import { fileRequest } from '../user-files/upload-file.ts';
import { count } from '../show/numbers.ts';
import { cut, left, tableOf } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';
import { utcTime } from '../show/times.ts';
import { runOf } from './run-of.ts';

export const settle = byHand({
  name: 'settle',
  args: ['<run|campaign>'],
  description: 'settle unknown outcomes of an ended run: by status, by file, or for one user',
  options: {
    byStatus: flag('--by-status', 'request the outcomes from the status endpoints (class C), in the background'),
    file: text(
      '--file <path>',
      'CSV with columns userId,step,outcome[,code[,country]], or .ndjson with the same fields',
    ),
    ...fileOptions,
    preview: flag('--preview', 'by file: only show how the file would be read; no user is settled'),
    userId: text('--user <id>', 'one user: the user id'),
    step: whole('--step <n>', 'one user: the step; by status: only this step'),
    outcome: oneOf('--outcome <outcome>', 'one user: the outcome', ['succeeded', 'failed']),
    code: text('--code <code>', 'one user: the code of the failure'),
    country: text('--country <code>', 'only in this country'),
  },
  run: (call) => {
    const { options, context } = call;
    const { file, preview, user, header, acceptRejected } = options;
    requireOneWay(options);
    const query = { user, header, acceptRejected };
    if (preview) {
      if (file === undefined) throw new UsageError('--preview goes with --file');
      return previewFile({ file, query: { ...query, for: 'settlement' }, type: typeOf(file), context });
    }
    return answer(
      {
        ask: async ({ client, args: [id] }) => {
          if (file !== undefined) return settleByFile(await runOf(id, client), { file, query, context }, client);
          return settleRun({ client, path: { id: await runOf(id, client) }, body: requestOf(options) });
        },
        refused: 'not settled',
        labelOf: fileLabel,
        render: renderSettlement,
        // The exit code is ok if nothing was rejected so far, even if the settlement is still running.
        code: ({ rejected, state }: Settlement) =>
          rejected === 0 && state !== 'failed' ? exitCodes.ok : exitCodes.failure,
      },
      call,
    );
  },
});

function requireOneWay({ byStatus, file, userId }: { byStatus?: true; file?: string; userId?: string }): void {
  if ([byStatus, file, userId].filter((given) => given !== undefined).length !== 1)
    throw new UsageError('give one of --by-status, --file and --user');
}

interface ByHand {
  userId?: string;
  step?: number;
  outcome?: 'succeeded' | 'failed';
  code?: string;
  country?: string;
}

function requestOf({ userId, step, outcome, code, country }: ByHand): SettleRequestInput {
  const there = country === undefined ? {} : { country };
  if (userId === undefined) return { by: 'status', ...(step !== undefined && { step }), ...there };
  if (step === undefined || outcome === undefined) throw new UsageError('--user goes with --step and --outcome');
  return { by: 'hand', userId, step, outcome, ...(code !== undefined && { code }), ...there };
}

interface ByFile {
  file: string;
  query: { user: string | undefined; header: 'none' | undefined; acceptRejected: number | undefined };
  context: CommandContext;
}

async function settleByFile(id: string, { file, query, context: { input } }: ByFile, client: Client) {
  return client.post<SettleRunResponses, SettleRunErrors, true>({
    url: '/v1/runs/{id}/settle',
    path: { id },
    query,
    ...(await fileRequest(file, { gzip: undefined, input, type: typeOf(file) })),
  });
}

function typeOf(file: string): 'text/csv' | 'application/x-ndjson' {
  return /\.(ndjson|jsonl)(\.gz)?$/.test(file) ? 'application/x-ndjson' : 'text/csv';
}

export const settlements = command({
  name: 'settlements',
  args: ['<run|campaign>'],
  description: 'list settlements with their author and progress',
  ask: async ({ client, args: [id] }) => listSettlements({ client, path: { id: await runOf(id, client) } }),
  render: tableOf<Settlement>('nothing was settled', [
    left('settlement', ({ settlementId }) => settlementId),
    left('when', ({ createdAt }) => utcTime(createdAt)),
    left('by', ({ by, requestedBy }) => (requestedBy === null ? by : `${by}, ${requestedBy.name}`)),
    left('state', ({ state }) => state),
    cut('what', (each) => `${settledText(each)}${each.cause === null ? '' : `; ${each.cause}`}`),
  ]),
});

const maxRejects = 20;

function renderSettlement(settlement: Settlement): string {
  const { settlementId, runId, state, rejected, rejects, cause } = settlement;
  if (state === 'running') return `${settlementId} goes on in the background: muster run settlements ${runId}\n`;
  const lines = [`${settlementId} ${state}: ${settledText(settlement)}${cause === null ? '' : `; ${oneLine(cause)}`}`];
  for (const { line, userId, rule } of rejects.slice(0, maxRejects)) {
    lines.push(`  line ${line}: ${rule}${userId === null ? '' : ` (${oneLine(userId)})`}`);
  }
  if (rejected > maxRejects)
    lines.push(`  and ${count(rejected - Math.min(maxRejects, rejects.length))} more; all with --json`);
  return `${lines.join('\n')}\n`;
}

function settledText({ settled, leftUnknown, rejected }: Settlement): string {
  return [
    `${count(settled.succeeded)} succeeded`,
    `${count(settled.failed)} failed`,
    ...(leftUnknown > 0 ? [`${count(leftUnknown)} still unknown`] : []),
    ...(rejected > 0 ? [`${count(rejected)} rejected`] : []),
  ].join(', ');
}
