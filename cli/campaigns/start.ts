import { getCampaign, startCampaign } from '../../sdk/generated/sdk.gen.ts';
import { writeData, type CommandContext } from '../frame/command-context.ts';
import { apiOf, byHand, noteLines, worded } from '../frame/command-table.ts';
import { canAsk, isConfirmed } from '../frame/confirm.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { yes } from '../frame/given.ts';
import { flag, several, text } from '../frame/options.ts';
import { UsageError } from '../frame/usage-error.ts';
import { localAndUtc, zoneOf } from '../show/times.ts';
import { startText, summaryOf, warningsOf } from './render.ts';
import { startDryRun, startTest } from './start-trial.ts';

/** Starts a campaign, or a trial of it, whose run leaves the campaign as it is. */
export const start = byHand({
  name: 'start',
  args: ['<campaign>'],
  description:
    'start it now, or when its schedule says; or try it first, by --dry or --test; asks first where a person can answer',
  options: {
    dry: flag('--dry', 'a dry run: calls nobody; its report says who would get what, and how long it would take'),
    test: several('--test <user>', 'a test on this user, whoever it is; repeatable, at most 50'),
    country: text('--country <code>', 'with --test: one of the campaign’s, whose endpoints are called'),
    preview: flag('--preview', 'with --test: only say which steps are real'),
    again: flag('--again', 'with --test: also reach users whom an earlier live test of the campaign has reached'),
    ...yes,
  },
  run: async ({ args: [id], options: { dry, test: users, country, preview, again, yes: isSure = false }, context }) => {
    if (users && dry) throw new UsageError('--dry and --test are two ways to try it: choose one');
    if (!users && (country !== undefined || preview || again))
      throw new UsageError('--country, --preview and --again go with --test');
    if (dry) return startDryRun(id, context);
    if (!users) return startLive(id, isSure, context);
    if (country === undefined) throw new UsageError('--test needs --country: whose endpoints are called');
    const test = { kind: 'test' as const, users, country, ...(again && { again }) };
    return startTest(id, { test, isPreview: preview ?? false, isSure }, context);
  },
});

async function startLive(id: string, isSure: boolean, context: CommandContext): Promise<ExitCode> {
  const client = await apiOf(context);
  if (!isSure && canAsk(context)) {
    const { data } = await getCampaign({ client, path: { id } });
    const question = `${summaryOf(data)}; ${startText(data)}. Go?`;
    if (data.state === 'draft' && !(await isConfirmed(question, context))) {
      context.terminal.note('not started\n');
      return exitCodes.failure;
    }
  }
  const { data } = await worded({ outcome: 'not started' }, () => startCampaign({ client, path: { id } }));
  const due = data.nextRunAt === null ? '' : `, due ${localAndUtc(data.nextRunAt, zoneOf(data))}`;
  writeData(context, data, () => `${data.id} ${data.state}${due}\n`);
  if (!context.json) noteLines(warningsOf(data), context);
  return exitCodes.ok;
}
