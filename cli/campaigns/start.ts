import { getCampaign, startCampaign } from '../../sdk/generated/sdk.gen.ts';
import type { StartRequestInput } from '../../sdk/generated/types.gen.ts';
import { writeData, type CommandContext } from '../frame/command-context.ts';
import { apiOf, byHand, noteLines, worded } from '../frame/command-table.ts';
import { canAsk, isConfirmed } from '../frame/confirm.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { yes } from '../frame/given.ts';
import { flag, several, text } from '../frame/options.ts';
import { UsageError } from '../frame/usage-error.ts';
import { localAndUtc, zoneOf } from '../show/times.ts';
import { canaryOptions } from './definition-options.ts';
import { canaryOf, optionLabel } from './definition.ts';
import { canaryText, startText, summaryOf, warningsOf } from './render.ts';
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
    ...canaryOptions,
    ...yes,
  },
  run: async ({ args: [id], options, context }) => {
    const { dry, test: users, country, preview, again, yes: isSure = false } = options;
    const canary = canaryOf(options);
    if ([dry, users, canary.canary].filter((way) => way !== undefined).length > 1)
      throw new UsageError('--dry, --test and --canary are three ways to start it: choose one');
    if (!users && (country !== undefined || preview || again))
      throw new UsageError('--country, --preview and --again go with --test');
    if (dry) return startDryRun(id, context);
    if (!users) return startLive(id, { canary, isSure }, context);
    if (country === undefined) throw new UsageError('--test needs --country: whose endpoints are called');
    const test = { kind: 'test' as const, users, country, ...(again && { again }) };
    return startTest(id, { test, isPreview: preview ?? false, isSure }, context);
  },
});

async function startLive(
  id: string,
  { canary: body, isSure }: { canary: StartRequestInput; isSure: boolean },
  context: CommandContext,
): Promise<ExitCode> {
  const client = await apiOf(context);
  if (!isSure && canAsk(context)) {
    const { data } = await getCampaign({ client, path: { id } });
    const first = body.canary ? `; ${canaryText(body.canary)}` : '';
    const question = `${summaryOf(data)}; ${startText(data)}${first}. Go?`;
    if (data.state === 'draft' && !(await isConfirmed(question, context))) {
      context.terminal.note('not started\n');
      return exitCodes.failure;
    }
  }
  const wording = { outcome: 'not started', labelOf: optionLabel };
  const { data } = await worded(wording, () => startCampaign({ client, path: { id }, ...(body.canary && { body }) }));
  const due = data.nextRunAt === null ? '' : `, due ${localAndUtc(data.nextRunAt, zoneOf(data))}`;
  writeData(context, data, () => `${data.id} ${data.state}${due}\n`);
  if (!context.json) noteLines(warningsOf(data), context);
  return exitCodes.ok;
}
