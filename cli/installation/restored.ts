import { publicId } from '../../shared/domain/ids/ids.ts';
import { canContinue } from '../../shared/domain/run/restored-runs.ts';
import {
  connectedServices,
  settleRestored,
  type OpenRun,
  type Settled,
} from '../../shared/postgres/restored/settle-restored.ts';
import { writeData, type CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { createPaint } from '../show/paint.ts';
import { cut, left, renderItems } from '../show/tables.ts';
import { withDatabase } from './configuration/config.ts';

/** Adjusts a database that was restored to an earlier moment, before services start on it. */
export async function settleRestoredDatabase(context: CommandContext): Promise<ExitCode> {
  const { terminal } = context;
  return await withDatabase(context, async (pool) => {
    const services = await connectedServices(pool);
    if (services.length > 0) {
      terminal.note(`nothing is changed: stop every process of Muster first; connected are ${services.join(', ')}\n`);
      return exitCodes.failure;
    }
    const settled = await settleRestored(pool, 'muster restored');
    writeData(context, dataOf(settled), () => renderSettled(settled, context));
    terminal.note(notesOf(settled));
    return exitCodes.ok;
  });
}

function dataOf({ runs, ...counts }: Settled) {
  return {
    ...counts,
    runs: runs.map(({ runId, campaignId, ...run }) => ({
      runId: publicId('run', runId),
      campaignId: publicId('campaign', campaignId),
      ...run,
      mayGoOn: canContinue(run),
    })),
  };
}

function renderSettled({ runs }: Settled, { terminal }: CommandContext): string {
  if (runs.length === 0) return 'no run was under way\n';
  const view = { paint: createPaint(terminal.colours.out), width: terminal.columns };
  return renderItems(
    runs,
    [
      left('run', ({ runId }) => publicId('run', runId)),
      cut('campaign', ({ campaign }) => campaign),
      left('classes', ({ classes }) => classes.map((one) => one ?? '?').join(' ')),
      left('state', ({ state }) => state),
      left('what to do', adviceOf, { tone: (run) => (canContinue(run) ? 'good' : 'bad') }),
    ],
    view,
  );
}

function adviceOf(run: OpenRun): string {
  if (canContinue(run)) return 'resume it';
  if (!run.hasBegun) return 'look whether it has begun since: then cancel it';
  return 'look what its endpoints have served since, then resume or cancel it';
}

function notesOf({ starts, schedules, keys }: Settled): string {
  return [
    `${starts} starts that were due are paused runs; ${schedules} schedules of campaigns fire from now on only`,
    `${keys} API keys open: revoke again what was revoked since; so with approvals and suppression lists`,
    'what to do, step by step: docs/restore.md',
    '',
  ].join('\n');
}
