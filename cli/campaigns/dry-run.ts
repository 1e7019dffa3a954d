import { dryRunCampaign } from '../../sdk/generated/sdk.gen.ts';
import { command } from '../frame/command-table.ts';

/** Starts the run without confirmation, as it makes no calls. */
export const dryRun = command({
  name: 'dry-run',
  args: ['<campaign>'],
  description: 'carry it out without calling anybody; its report says who would get what, and how long it would take',
  ask: ({ client, args: [id] }) => dryRunCampaign({ client, path: { id } }),
  refused: 'not begun',
  render: ({ run }) => `${run.runId}\n`,
  hint: ({ run, warnings }) => [
    'nobody is called',
    ...warnings.map(({ detail }) => `! ${detail}`),
    `muster campaign watch ${run.runId}`,
    `muster campaign report ${run.runId}`,
  ],
});
