import { retryFailedUsers } from '../../sdk/generated/sdk.gen.ts';
import type { Retry } from '../../sdk/generated/types.gen.ts';
import { writeData } from '../frame/command-context.ts';
import { apiOf, byHand, viewOf, worded } from '../frame/command-table.ts';
import type { View } from '../show/paint.ts';
import { canAsk, isConfirmed } from '../frame/confirm.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { yes } from '../frame/given.ts';
import { flag, several, severalWhole, whole } from '../frame/options.ts';
import { count } from '../show/numbers.ts';
import { cut, left, renderItems, right } from '../show/tables.ts';
import { runOf } from './run-of.ts';

type Group = Retry['groups'][number];

/**
 * Shows the users to retry, asks for confirmation, and starts the child run.
 * @param named argument of the command that names the run, such as `<run|campaign>`
 */
export const retryFailed = (named: string) =>
  byHand({
    name: 'retry-failed',
    args: [named],
    description: 'retry the failed users of an ended run, in a new run; requests a confirmation',
    options: {
      reasons: several('--reason <reason>', 'only users who failed with it; repeatable'),
      steps: severalWhole('--step <n>', 'only users who failed in it; repeatable'),
      actions: several('--action <type>', 'only users who failed in steps of this action type; repeatable'),
      countries: several('--country <code>', 'only users of this country; repeatable'),
      deadlineSeconds: whole('--deadline-seconds <n>', 'seconds from now; by default as in the campaign'),
      preview: flag('--preview', 'only count the users, by step, country and reason'),
      ...yes,
    },
    run: async ({ args: [id], options: { preview, yes: isSure, ...body }, context }) => {
      const { terminal, json } = context;
      const client = await apiOf(context);
      const path = { id: await runOf(id, client) };
      const counted = async () => (await retryFailedUsers({ client, path, body: { ...body, preview: true } })).data;
      if (preview) {
        const found = await counted();
        writeData(context, found, () => renderGroups(found.groups, viewOf(context)));
        return exitCodes.ok;
      }
      if (!isSure && canAsk(context)) {
        const { groups, users } = await counted();
        terminal.note(renderGroups(groups, viewOf(context)));
        const question = `${count(users)} failed users are tried again, each from the step that failed. Go?`;
        if (users > 0 && !(await isConfirmed(question, context))) {
          terminal.note('not started\n');
          return exitCodes.failure;
        }
      }
      const { data } = await worded({ outcome: 'not started' }, () => retryFailedUsers({ client, path, body }));
      writeData(context, data, () => `${data.runId ?? ''}\n`);
      if (!json) terminal.note(`${count(data.users)} users: muster campaign watch ${data.runId ?? ''}\n`);
      return exitCodes.ok;
    },
  });

function renderGroups(groups: readonly Group[], view: View): string {
  if (groups.length === 0) return 'nobody is left to try again\n';
  const all = groups.reduce((sum, { users }) => sum + users, 0);
  const rows = groups.map(({ step, action, country, reason, users }) => {
    return { step: `${step} ${action}`, country, reason, users };
  });
  return renderItems(
    [...rows, { step: '', country: '', reason: 'all', users: all }],
    [
      left('step', ({ step }) => step),
      left('country', ({ country }) => country),
      cut('reason', ({ reason }) => reason),
      right('users', ({ users }) => users),
    ],
    view,
  );
}
