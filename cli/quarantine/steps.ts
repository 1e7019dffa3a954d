import type { Client } from '../../sdk/generated/client/types.gen.ts';
import {
  discardQuarantinedStep,
  getQuarantinedStep,
  groupQuarantinedSteps,
  listQuarantinedSteps,
  replayQuarantinedStep,
} from '../../sdk/generated/sdk.gen.ts';
import type { QuarantinedStep, QuarantinedStepDetail, QuarantinedStepGroup } from '../../sdk/generated/types.gen.ts';
import { UsageError } from '../frame/usage-error.ts';
import { runOf } from '../runs/run-of.ts';
import { count } from '../show/numbers.ts';
import type { View } from '../show/paint.ts';
import { cut, left, renderItems, right, tableOf } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';
import { utcSecond, utcTime } from '../show/times.ts';
import type { Filters, ItemKind } from './kind.ts';

const none = 'no quarantined steps';

const groupTable = tableOf<QuarantinedStepGroup>(none, [
  right('steps', ({ items }) => items),
  left('action', ({ action }) => action),
  left('country', ({ country }) => country),
  right('users', ({ users }) => users),
  right('runs', ({ runs }) => runs),
  left('first', ({ firstAt }) => utcTime(firstAt)),
  left('last', ({ lastAt }) => utcTime(lastAt)),
]);

const stepTable = tableOf<QuarantinedStep>(none, [
  left('step', ({ id }) => id),
  left('state', ({ state }) => state),
  left('run', ({ runId }) => runId),
  left('country', ({ country }) => country),
  right('batch', ({ batchNo }) => String(batchNo)),
  cut('action', ({ step, action }) => `${step} ${action}`),
  right('users', ({ users }) => users),
  right('lapses', ({ lapses }) => lapses),
  left('since', ({ since }) => utcTime(since)),
]);

/** @throws {UsageError} for a state that steps do not have */
async function queryOf({ run, action, country, state }: Filters, client: Client) {
  if (state === 'replaying') throw new UsageError('a step is kept, replayed or discarded');
  return {
    ...(run !== undefined && { runId: await runOf(run, client) }),
    ...(action !== undefined && { action }),
    ...(country !== undefined && { country }),
    ...(state !== undefined && { state }),
  };
}

/** Steps whose calls repeatedly ended their workers. There are no bulk decisions. */
export const steps: ItemKind = {
  one: 'step',
  many: 'steps',
  prefix: 'qst_',
  filters: ['run', 'action', 'country', 'state'],
  selections: { replay: [], discard: [] },
  list: ({ limit, cursor, ...filters }, answering) =>
    answering({
      ask: async ({ client }) => {
        const query = { ...(await queryOf(filters, client)), limit, ...(cursor !== undefined && { cursor }) };
        return listQuarantinedSteps({ client, query });
      },
      render: stepTable,
    }),
  groups: (filters, answering) =>
    answering({
      ask: async ({ client }) => groupQuarantinedSteps({ client, query: await queryOf(filters, client) }),
      render: groupTable,
    }),
  show: (id, answering) =>
    answering({ ask: ({ client }) => getQuarantinedStep({ client, path: { id } }), render: renderStep }),
  decide: (verb, id, _terms, client) =>
    verb === 'replay'
      ? replayQuarantinedStep({ client, path: { id } })
      : discardQuarantinedStep({ client, path: { id } }),
};

function renderStep(detail: QuarantinedStepDetail, view: View): string {
  const { id, state, runId, runState, country, batchNo, step, action, users, lapses, since, whyNot } = detail;
  const isOpen =
    whyNot === null ? `muster quarantine replay ${id} opens it again` : `not to be opened again: ${whyNot}`;
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
