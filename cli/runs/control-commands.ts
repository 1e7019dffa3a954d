import type { Client } from '../../sdk/generated/client/types.gen.ts';
import {
  cancelRun,
  changeRun,
  getCampaign,
  listRunEvents,
  pauseRun,
  previewCancel,
  resumeRun,
  unscheduleCampaign,
} from '../../sdk/generated/sdk.gen.ts';
import type { RunEvent } from '../../sdk/generated/types.gen.ts';
import { writeData, type CommandContext } from '../frame/command-context.ts';
import { answer, apiOf, byHand, command, worded } from '../frame/command-table.ts';
import { canAsk, isConfirmed } from '../frame/confirm.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { yes } from '../frame/given.ts';
import { oneOf, text, whole, widerLimit } from '../frame/options.ts';
import { UsageError } from '../frame/usage-error.ts';
import { detailText } from '../show/details.ts';
import { cut, left, tableOf } from '../show/tables.ts';
import { utcSecond } from '../show/times.ts';
import { cancelQuestion, controlledText, settingsLine } from './control-texts.ts';
import { runOf } from './run-of.ts';

const reason = { reason: text('--reason <text>', 'reason, for the history of the run') };

/**
 * Commands that pause, resume and cancel a run, or the newest run of a campaign.
 * @param named argument such as `<run|campaign>`
 */
export const controlVerbs = (named: string) => [
  command({
    name: 'pause',
    args: [named],
    description: 'pause a run: no new call starts; results of calls in progress are recorded',
    options: reason,
    ask: async ({ client, args: [id], options: body }) =>
      pauseRun({ client, path: { id: await runOf(id, client) }, body }),
    refused: 'not paused',
    render: (data) => `${controlledText('pause', data)}\n`,
  }),
  command({
    name: 'resume',
    args: [named],
    description: 'resume a paused run',
    options: {
      ...reason,
      variant: text('--variant <name>', 'variant for all users outside the canary, if the run waits for this choice'),
    },
    ask: async ({ client, args: [id], options: body }) =>
      resumeRun({ client, path: { id: await runOf(id, client) }, body }),
    refused: 'not resumed',
    render: (data) => `${controlledText('resume', data)}\n`,
  }),
  byHand({
    name: 'cancel',
    args: [named],
    description: 'cancel a run: nothing new starts; requests a confirmation on a terminal',
    options: { ...reason, ...yes },
    run: async ({ args: [id], options: { yes: isSure, ...body }, context }) => {
      const client = await apiOf(context);
      if (await isOnlyScheduled(id, client)) return unschedule(id, context);
      const path = { id: await runOf(id, client) };
      if (!isSure && canAsk(context) && !(await mayCancel(path.id, client, context))) {
        context.terminal.note('not cancelled\n');
        return exitCodes.failure;
      }
      const { data } = await worded({ outcome: 'not cancelled' }, () => cancelRun({ client, path, body }));
      writeData(context, data, () => `${controlledText('cancel', data)}\n`);
      return exitCodes.ok;
    },
  }),
];

async function isOnlyScheduled(id: string, client: Client): Promise<boolean> {
  return id.startsWith('cmp_') && (await getCampaign({ client, path: { id } })).data.state === 'scheduled';
}

/** Unschedules a campaign that has no run to cancel. */
function unschedule(id: string, context: CommandContext) {
  const row = {
    ask: ({ client }: { client: Client }) => unscheduleCampaign({ client, path: { id } }),
    refused: 'not taken back',
    render: () => `${id} is a draft again; nothing had begun\n`,
  };
  return answer(row, { args: [], options: {}, context });
}

async function mayCancel(runId: string, client: Client, context: CommandContext): Promise<boolean> {
  const { data } = await previewCancel({ client, path: { id: runId } });
  const { byCountry, question } = cancelQuestion(data);
  if (byCountry.length > 1) context.terminal.note(`${byCountry.join('\n')}\n`);
  return isConfirmed(question, context);
}

/** Changes settings of an open run. The API validates them. */
export const set = command({
  name: 'set',
  args: ['<run|campaign>'],
  description: 'change deadline, priority, pace or failure limit of a current run',
  options: {
    ...reason,
    deadlineSeconds: whole('--deadline-seconds <n>', 'seconds from the scheduled start'),
    deadlineAt: text('--deadline-at <time>', 'RFC 3339 with an offset'),
    priority: oneOf('--priority <priority>', 'priority over other runs', ['low', 'normal', 'high']),
    pace: text('--pace <n>', 'maximum users per second; none removes the limit'),
    pauseAtFailed: text(
      '--pause-at-failed <percent>',
      'pause above this share of failed users; none removes the limit',
    ),
    pauseAtFailedMinUsers: whole(
      '--pause-at-failed-min-users <n>',
      'number of users who must have ended a step before the share counts',
    ),
  },
  ask: async ({ client, args: [id], options }) => {
    if (Object.keys(options).every((name) => name === 'reason'))
      throw new UsageError('say what to change: --help shows what there is');
    const { pace, pauseAtFailed, ...plain } = options;
    const body = {
      ...plain,
      ...(pace !== undefined && { paceUsersPerSecond: numberOrNone('--pace', pace) }),
      ...(pauseAtFailed !== undefined && { pauseAtFailedPercent: numberOrNone('--pause-at-failed', pauseAtFailed) }),
    };
    return changeRun({ client, path: { id: await runOf(id, client) }, body });
  },
  refused: 'not changed',
  render: ({ run }) => `${run.runId} ${run.state}; ${settingsLine(run)}\n`,
});

function numberOrNone(option: string, given: string): number | null {
  if (given === 'none') return null;
  const number = given.trim() === '' ? Number.NaN : Number(given);
  if (Number.isNaN(number)) throw new UsageError(`${option} has to be a number, or none to take the limit away`);
  return number;
}

export const events = command({
  name: 'events',
  args: ['<run|campaign>'],
  description: 'list the events of a run, by people and by Muster',
  options: { limit: whole('--limit <n>', 'number of items, up to 1000', 100) },
  ask: async ({ client, args: [id], options: query }) =>
    listRunEvents({ client, path: { id: await runOf(id, client) }, query }),
  render: tableOf<RunEvent>('nothing yet', [
    left('when', ({ at }) => utcSecond(at)),
    left('what', ({ kind }) => kind.replaceAll('-', ' ')),
    cut('detail', ({ detail }) => detailText(detail)),
  ]),
  more: widerLimit,
});
