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
    description: 'outcomes by step and country, failures by reason; or a line for each step and country as a file',
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
  description: 'beside the run before it: was it better than last time?',
  options: { with: text('--with <run>', 'beside this run, of another campaign too') },
  ask: async ({ client, args: [id], options: query }) =>
    compareRun({ client, path: { id: await runOf(id, client) }, query }),
  render: renderComparison,
});

export const rates = command({
  name: 'rates',
  args: ['<run|campaign>'],
  description: 'how fast it has gone, from its start on',
  ask: async ({ client, args: [id] }) => getRunRates({ client, path: { id: await runOf(id, client) } }),
  render: (data, { width }) => renderRates(data, width),
});
