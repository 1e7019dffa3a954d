import { explainRunUser } from '../../sdk/generated/sdk.gen.ts';
import { command } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { renderExplanation } from './explanation.ts';
import { runOf } from './run-of.ts';

export const heading: Heading = 'Runs';

export const commands = command({
  name: 'explain',
  args: ['<campaign|run>', '<user>'],
  description: 'explain the outcome of a user: every call, and the result of each step',
  ask: async ({ client, args: [id, userId] }) =>
    explainRunUser({ client, path: { id: await runOf(id, client), userId } }),
  render: renderExplanation,
});
