import { Option, type Command } from 'commander';
import { campaignChoices } from '../../shared/domain/run/campaign-standing.ts';
import type { DefinitionOptions } from './definition.ts';
import type { FailureOptions } from '../runs/commands.ts';
import type { Session } from '../frame/session.ts';
import { collect, wholeNumber } from '../frame/options.ts';
import { addRetryFailed } from '../runs/register-retry.ts';
import { addControlVerbs } from '../runs/register.ts';

// What a command does is loaded when it is called: `muster --help` has to be quick.

export function registerCampaign(program: Command, session: Session): void {
  const json = () => program.opts<{ json?: true }>().json ?? false;
  const group = program.command('campaign').description('campaigns and their runs, over the API');

  addDefinitionOptions(
    group.command('create').description('create a campaign from a file or from options; prints its id'),
  ).action((options: DefinitionOptions) =>
    session.run(json(), async (context) => {
      const { createCampaign } = await import('./commands.ts');
      return createCampaign(options, context);
    }),
  );

  addDefinitionOptions(
    group
      .command('change <campaign>')
      .description('give a draft another definition, whole, from a file or from options'),
  ).action((id: string, options: DefinitionOptions) =>
    session.run(json(), async (context) => {
      const { changeCampaign } = await import('./draft-commands.ts');
      return changeCampaign(id, options, context);
    }),
  );

  addDefinitionOptions(
    group
      .command('preview')
      .description('what would become of a definition: what is wrong, who, how long; makes nothing'),
  ).action((options: DefinitionOptions) =>
    session.run(json(), async (context) => {
      const { previewCampaign } = await import('./draft-commands.ts');
      return previewCampaign(options, context);
    }),
  );

  group
    .command('list')
    .description('campaigns, newest first')
    .option('--limit <n>', 'how many', wholeNumber, 20)
    .option('--cursor <cursor>', 'go on behind an earlier list')
    .option('--search <text>', 'part of the name, or cmp_…')
    .addOption(new Option('--state <state>', 'only those').choices(campaignChoices))
    .addOption(new Option('--sort <order>', 'state: what needs attention first').choices(['newest', 'state']))
    .action((options: { limit: number; cursor?: string; search?: string; state?: string; sort?: string }) =>
      session.run(json(), async (context) => {
        const { listCampaigns } = await import('./commands.ts');
        return listCampaigns(options, context);
      }),
    );

  group
    .command('show <campaign>')
    .description('the whole of one campaign, and its newest runs')
    .action((id: string) =>
      session.run(json(), async (context) => {
        const { showCampaign } = await import('./commands.ts');
        return showCampaign(id, context);
      }),
    );

  group
    .command('start <campaign>')
    .description('start it now, or when its schedule says; asks first where a person can answer')
    .option('-y, --yes', 'do not ask')
    .action((id: string, options: { yes?: true }) =>
      session.run(json(), async (context) => {
        const { startCampaign } = await import('./commands.ts');
        return startCampaign(id, options, context);
      }),
    );

  addControlVerbs(group, 'campaign|run', program, session);

  group
    .command('estimate <campaign>')
    .description('how many users each part of its audience has, by country')
    .action((id: string) =>
      session.run(json(), async (context) => {
        const { estimateCampaign } = await import('./commands.ts');
        return estimateCampaign(id, context);
      }),
    );

  group
    .command('budget <campaign> [budgets...]')
    .description('what it may spend in each country, and has spent; SG=2000 changes one, while runs go on')
    .action((id: string, budgets: string[]) =>
      session.run(json(), async (context) => {
        const { campaignBudgets } = await import('./budgets.ts');
        return campaignBudgets(id, budgets, context);
      }),
    );

  group
    .command('watch <campaign|run>')
    .description('follow a run until it ends')
    .action((id: string) =>
      session.run(json(), async (context) => {
        const { watchCampaign } = await import('../runs/watch-campaign.ts');
        return watchCampaign(id, context);
      }),
    );

  group
    .command('report <campaign|run>')
    .description('outcomes by step and country, failures by reason')
    .action((id: string) =>
      session.run(json(), async (context) => {
        const { reportCampaign } = await import('../runs/commands.ts');
        return reportCampaign(id, context);
      }),
    );

  group
    .command('runs <campaign>')
    .description('the runs of a campaign, newest first')
    .option('--limit <n>', 'how many', wholeNumber, 20)
    .action((id: string, options: { limit: number }) =>
      session.run(json(), async (context) => {
        const { listRuns } = await import('../runs/commands.ts');
        return listRuns(id, options, context);
      }),
    );

  group
    .command('failures <campaign|run>')
    .description('the users that failed, with the reason')
    .option('--step <n>', 'only of this step', wholeNumber)
    .option('--country <code>', 'only of this country')
    .option('--reason <reason>', 'only for this reason')
    .option('--limit <n>', 'how many in the table, up to 1000', wholeNumber, 100)
    .option('--csv', 'all of them as CSV; what a spreadsheet takes for a formula gets an apostrophe in front')
    .option('--raw', 'with --csv: every text as it is, for programs')
    .option('--excel', 'with --csv: with the byte order mark that Excel needs')
    .option('--ndjson', 'all of them as lines of JSON')
    .action((id: string, options: FailureOptions) =>
      session.run(json(), async (context) => {
        const { listFailures } = await import('../runs/commands.ts');
        return listFailures(id, options, context);
      }),
    );

  addRetryFailed(group, 'campaign|run', program, session);
}

function addDefinitionOptions(command: Command): Command {
  return command
    .option('-f, --file <path>', 'the definition as JSON; - reads standard input')
    .option('--name <name>')
    .option('--segment <id>', 'who: a segment of the segmentation service; repeatable, as are the next five', collect)
    .option('--list <aud_…>', 'who: an uploaded list', collect)
    .option('--run <run_…[:outcomes][@step]>', 'who: users of an earlier run, such as run_1:failed,unknown', collect)
    .option('--exclude-segment <id>', 'and nobody who is in this segment', collect)
    .option('--exclude-list <aud_…>', 'nor in this list', collect)
    .option('--exclude-run <run_…[:outcomes][@step]>', 'nor among these users of an earlier run', collect)
    .option('--hold-out <percent>', 'of the audience, so many get nothing', Number)
    .option('--hold-out-seed <text>', 'the same seed holds out the same users')
    .option('--countries <list>', 'where: country codes, such as SG,ID,VN')
    .option('--action <type[=params]>', 'what, in order; repeatable: award-reward=\'{"units":2}\'', collect)
    .option('--at <time>', 'when: RFC 3339, or a local time with --zone; otherwise as soon as it is started')
    .option('--local <time>', 'instead: a local time in each country, in which each begins')
    .option('--country-zone <country=zone>', 'for --local where a country has several: US=America/New_York', collect)
    .option('--cron <fields>', 'instead: a run each time, such as "0 9 * * MON"')
    .option('--every-seconds <n>', 'instead: a run so often', wholeNumber)
    .option('--zone <zone>', 'the IANA zone of --at or --cron, such as Asia/Singapore')
    .option('--from <time>', 'what recurs begins then')
    .option('--until <time>', 'and ends then; what of its run has not been sent by then is cancelled')
    .option('--misfire <policy>', 'when runs were missed: fire-once, fire-all or skip')
    .option('--catch-up-seconds <n>', 'a start that was missed for longer does not happen', wholeNumber)
    .option('--overlap <policy>', 'while the run before goes on: skip, buffer-one or allow')
    .option('--deadline-seconds <n>', 'what is not begun by then expires', wholeNumber)
    .option('--priority <priority>', 'low, normal or high')
    .option('--pace <n>', 'users per second at most', wholeNumber)
    .option('--pause-at-failed <percent>', 'a run pauses itself above this share of failed users', Number)
    .option('--budget <country=units>', 'all runs together may spend so much there: SG=1000; repeatable', collect)
    .option(
      '--units-per-user <[step=]n>',
      'what a user costs, in the first step unless said: 2=5; repeatable',
      collect,
    );
}
