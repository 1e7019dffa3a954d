import { explainRunUser } from '../../sdk/generated/sdk.gen.ts';
import { command } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { renderExplanation } from './explanation.ts';
import { runOf } from './run-of.ts';

export const heading: Heading = 'Runs';

export const commands = command({
  name: 'explain',
  args: ['<campaign|run>', '<user>'],
  description: 'why a user did or did not get what: every call, and how each step ended',
  ask: async ({ client, args: [id, userId] }) =>
    explainRunUser({ client, path: { id: await runOf(id, client), userId } }),
  render: renderExplanation,
});
