import { testSendCampaign } from '../../sdk/generated/sdk.gen.ts';
import type { TestSend } from '../../sdk/generated/types.gen.ts';
import { writeData } from '../frame/command-context.ts';
import { apiOf, byHand, noteLines, viewOf, worded } from '../frame/command-table.ts';
import type { View } from '../show/paint.ts';
import { canAsk, isConfirmed } from '../frame/confirm.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { yes } from '../frame/given.ts';
import { flag, needed, several } from '../frame/options.ts';
import { UsageError } from '../frame/usage-error.ts';
import { left, renderItems, right } from '../show/tables.ts';

/** Shows which steps are live, asks for confirmation, and starts the test. */
export const testSend = byHand({
  name: 'test-send',
  args: ['<campaign>'],
  description: 'try it on at most 50 users; says which steps are real, and asks first where a person can answer',
  options: {
    user: several('--user <id>', 'whoever it is; repeatable'),
    country: needed('--country <code>', 'one of the campaign’s: whose endpoints are called'),
    preview: flag('--preview', 'only say which steps are real'),
    again: flag('--again', 'also reach users whom an earlier live test of the campaign has reached'),
    ...yes,
  },
  run: async ({ args: [id], options: { user: users, country, preview, again, yes: isSure }, context }) => {
    if (!users) throw new UsageError('say whom: --user <id>');
    const { terminal, json } = context;
    const client = await apiOf(context);
    const path = { id };
    const body = { users, country, ...(again && { again }) };
    const worth = async () =>
      (
        await worded({ outcome: 'not sent' }, () =>
          testSendCampaign({ client, path, body: { ...body, preview: true } }),
        )
      ).data;
    if (preview) {
      const seen = await worth();
      writeData(context, seen, () => renderTestSend(seen, viewOf(context)));
      return exitCodes.ok;
    }
    if (!isSure && canAsk(context)) {
      const seen = await worth();
      terminal.note(renderTestSend(seen, viewOf(context)));
      if (!(await isConfirmed('Send it?', context))) {
        terminal.note('not sent\n');
        return exitCodes.failure;
      }
    }
    const { data } = await worded({ outcome: 'not sent' }, () => testSendCampaign({ client, path, body }));
    const runId = data.run?.runId ?? '';
    writeData(context, data, () => `${runId}\n`);
    if (json) return exitCodes.ok;
    noteLines([data.summary, ...warningsOf(data), `muster campaign watch ${runId}`], context);
    return exitCodes.ok;
  },
});

function renderTestSend(seen: TestSend, view: View): string {
  const table = renderItems(
    seen.steps,
    [
      right('step', ({ step }) => step),
      left('action', ({ action }) => action),
      left('', ({ mode }) => (mode === 'live' ? 'real' : 'told that it is a test')),
    ],
    view,
  );
  return `${[...warningsOf(seen), seen.summary].join('\n')}\n${table}`;
}

function warningsOf({ warnings }: TestSend): string[] {
  return warnings.map(({ detail }) => `! ${detail}`);
}
