import { compareRun, getRunRates, getRunReport } from '../../sdk/generated/sdk.gen.ts';
import type { Run, RunReport } from '../../sdk/generated/types.gen.ts';
import { answer, byHand, command, type ApiCall } from '../frame/command-table.ts';
import type { View } from '../show/paint.ts';
import { text } from '../frame/options.ts';
import { duration } from '../show/numbers.ts';
import { cut, left, type ItemColumn } from '../show/tables.ts';
import { utcTime } from '../show/times.ts';
import { forms, typeOf, writeAll } from './as-file.ts';
import { renderComparison } from './comparison.ts';
import { renderRates } from './rates.ts';
import { renderReport } from './report.ts';
import { runOf } from './run-of.ts';

export const runColumns: readonly ItemColumn<Run>[] = [
  left('run', ({ runId }) => runId),
  left('state', ({ state }) => state.replaceAll('_', ' ')),
  left('began', ({ startedAt, scheduledFor }) => utcTime(startedAt ?? scheduledFor)),
  left('took', ({ startedAt, endedAt }) =>
    startedAt && endedAt ? duration((Date.parse(endedAt) - Date.parse(startedAt)) / 1000) : '',
  ),
  cut('why', ({ stateReason }) => stateReason ?? ''),
];

export const report = (named: string) =>
  byHand({
    name: 'report',
    args: [named],
    description:
      'show outcomes by step and country, and failures by reason; or write a file with a line for each step and country',
    options: forms,
    run: (call) => {
      const accept = typeOf(call.options, call.context.json);
      if (accept !== undefined) return writeAll('report/table', {}, accept, call);
      const ask = {
        ask: async ({ client, args: [id] }: ApiCall<[string], typeof call.options>) =>
          getRunReport({ client, path: { id: await runOf(id, client) } }),
        render: (data: RunReport, { paint, width }: View) => `\n${renderReport(data, paint, width)}\n`,
      };
      return answer(ask, call);
    },
  });

export const compare = command({
  name: 'compare',
  args: ['<run|campaign>'],
  description: 'compare a run with the previous run of its campaign',
  options: { with: text('--with <run>', 'compare with this run, also of another campaign') },
  ask: async ({ client, args: [id], options: query }) =>
    compareRun({ client, path: { id: await runOf(id, client) }, query }),
  render: renderComparison,
});

export const rates = command({
  name: 'rates',
  args: ['<run|campaign>'],
  description: 'show the rates of a run since its start',
  ask: async ({ client, args: [id] }) => getRunRates({ client, path: { id: await runOf(id, client) } }),
  render: (data, { width }) => renderRates(data, width),
});
