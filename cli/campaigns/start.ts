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

/** Starts a campaign, or a trial (dry run or test), which leaves the campaign unchanged. */
export const start = byHand({
  name: 'start',
  args: ['<campaign>'],
  description:
    'start a campaign by its schedule; or try it with --dry or --test; requests a confirmation on a terminal',
  options: {
    dry: flag('--dry', 'start a dry run without calls; its report has the users and the duration'),
    test: several('--test <user>', 'send a test to this user; repeatable, at most 200'),
    testers: text('--testers <aud_…>', 'send a test to the users of this list, each in its own country'),
    country: text('--country <code>', 'with --test: country of the campaign whose endpoints are called'),
    preview: flag('--preview', 'with --test or --testers: only show which steps are live'),
    again: flag(
      '--again',
      'with --test or --testers: also call users whom an earlier live test of the campaign has reached',
    ),
    ...canaryOptions,
    ...yes,
  },
  run: async ({ args: [id], options, context }) => {
    const { dry, test: users, testers, country, preview, again, yes: isSure = false } = options;
    const canary = canaryOf(options);
    if ([dry, users, testers, canary.canary].filter((way) => way !== undefined).length > 1)
      throw new UsageError('--dry, --test, --testers and --canary are ways to start it: choose one');
    if (!users && country !== undefined) throw new UsageError('--country goes with --test');
    if (!users && testers === undefined && (preview || again))
      throw new UsageError('--preview and --again go with --test or --testers');
    if (dry) return startDryRun(id, context);
    const called = testers === undefined ? users && { users, country: countryOf(country) } : { testers };
    if (!called) return startLive(id, { canary, isSure }, context);
    const test = { kind: 'test' as const, ...called, ...(again && { again }) };
    return startTest(id, { test, isPreview: preview ?? false, isSure }, context);
  },
});

function countryOf(country: string | undefined): string {
  if (country === undefined) throw new UsageError('--test needs --country: whose endpoints are called');
  return country;
}

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
