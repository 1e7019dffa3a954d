import {
  discardQuarantinedStep,
  getQuarantinedStep,
  listQuarantinedSteps,
  replayQuarantinedStep,
} from '../../sdk/generated/sdk.gen.ts';
import type { QuarantinedStep, QuarantinedStepDetail } from '../../sdk/generated/types.gen.ts';
import { command, group } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import type { View } from '../show/paint.ts';
import { oneOf, pages, text } from '../frame/options.ts';
import { runOf } from '../runs/run-of.ts';
import { count } from '../show/numbers.ts';
import { cut, left, renderItems, right, tableOf } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';
import { utcSecond, utcTime } from '../show/times.ts';

const list = command({
  name: 'list',
  said: 'the newest first',
  options: {
    run: text('--run <run|campaign>', 'only of this run'),
    state: oneOf('--state <state>', 'only those', ['kept', 'replayed', 'discarded']),
    ...pages(50, 1000),
  },
  ask: async ({ client, options: { run, ...rest } }) => {
    const query = { ...rest, ...(run !== undefined && { runId: await runOf(run, client) }) };
    return listQuarantinedSteps({ client, query });
  },
  shown: tableOf<QuarantinedStep>('no quarantined step', [
    left('quarantined step', ({ id }) => id),
    left('state', ({ state }) => state),
    left('run', ({ runId }) => runId),
    left('country', ({ country }) => country),
    right('batch', ({ batchNo }) => String(batchNo)),
    cut('step', ({ step, action }) => `${step} ${action}`),
    right('users', ({ users }) => users),
    right('lapses', ({ lapses }) => lapses),
    left('since', ({ since }) => utcTime(since)),
  ]),
});

const show = command({
  name: 'show',
  args: ['<step>'],
  said: 'which batch, which users, and what happened to its calls',
  ask: ({ client, args: [id] }) => getQuarantinedStep({ client, path: { id } }),
  shown: renderStep,
});

const decided = ({ id, state }: QuarantinedStep) => `${id} ${state}\n`;

const replay = command({
  name: 'replay',
  args: ['<step>'],
  said: 'open it again: it is called with the same key, while its run goes on',
  ask: ({ client, args: [id] }) => replayQuarantinedStep({ client, path: { id } }),
  refused: 'not replayed',
  shown: decided,
});

const discard = command({
  name: 'discard',
  args: ['<step>'],
  said: 'leave it as it ended: its users stay unknown',
  ask: ({ client, args: [id] }) => discardQuarantinedStep({ client, path: { id } }),
  refused: 'not discarded',
  shown: decided,
});

export const heading: Heading = 'Runs';

export const commands = group('quarantined', 'steps whose calls ended their workers again and again, over the API', [
  ...[list, show, replay, discard],
]);

/** Where it is, whom it concerns, whether it may be opened again, and a line for each call that was noted. */
function renderStep(detail: QuarantinedStepDetail, view: View): string {
  const { id, state, runId, runState, country, batchNo, step, action, users, lapses, since, whyNot } = detail;
  const isOpen =
    whyNot === null ? `muster quarantined replay ${id} opens it again` : `not to be opened again: ${whyNot}`;
  const sample = detail.sample.slice(0, 3).join('  ') || 'none that is still unknown';
  const lines = [
    `  ${view.paint.strong(id)}  ${state} · ${oneLine(`${step} ${action} in ${country}, batch ${batchNo}`)}`,
    `  ${runId} ${runState.replaceAll('_', ' ')} · ${lapses} leases lapsed · since ${utcTime(since)}`,
    `  key ${detail.idempotencyKey}`,
    `  ${count(users)} users, such as ${oneLine(sample)}`,
    `  ${oneLine(isOpen)}`,
  ].join('\n');
  if (detail.calls.length === 0) return `${lines}\n`;
  const calls = renderItems(
    detail.calls,
    [
      left('when', ({ at }) => utcSecond(at)),
      left('worker', ({ worker }) => worker ?? ''),
      left('result', ({ result }) => result),
      cut('cause', ({ cause }) => cause ?? ''),
    ],
    view,
  );
  return `${lines}\n\n${calls}`;
}
