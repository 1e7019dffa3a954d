import { dryRunCampaign } from '../../sdk/generated/sdk.gen.ts';
import { command } from '../frame/command-table.ts';

/** Begins the run at once: it makes no call, so there is nothing to be confirmed. */
export const dryRun = command({
  name: 'dry-run',
  args: ['<campaign>'],
  said: 'carry it out without calling anybody; its report says who would get what, and how long it would take',
  ask: ({ client, args: [id] }) => dryRunCampaign({ client, path: { id } }),
  refused: 'not begun',
  shown: ({ run }) => `${run.runId}\n`,
  noted: ({ run, warnings }) => [
    'nobody is called',
    ...warnings.map(({ detail }) => `! ${detail}`),
    `muster campaign watch ${run.runId}`,
    `muster campaign report ${run.runId}`,
  ],
});
