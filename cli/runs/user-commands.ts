import { listHeldOutUsers, listRunFailures, listRunReceipts, listRunUsers } from '../../sdk/generated/sdk.gen.ts';
import type { HeldOutUser, RunUser, UserFailure, UserReceipt } from '../../sdk/generated/types.gen.ts';
import { userOutcomes } from '../../shared/contracts/runs/run-users.ts';
import { answer, byHand, type ApiCall, type Call } from '../frame/command-table.ts';
import type { ExitCode } from '../frame/exit-codes.ts';
import { flag, oneOf, text, whole, widerLimit } from '../frame/options.ts';
import { cut, left, optional, right, tableOf } from '../show/tables.ts';
import { utcTime } from '../show/times.ts';
import { forms, typeOf, writeAll, type Form } from './as-file.ts';
import { runOf } from './run-of.ts';

const ofStep = {
  step: whole('--step <n>', 'only in this step'),
  country: text('--country <code>', 'only in this country'),
};
const limit = { limit: whole('--limit <n>', 'rows of the table, up to 1000', 100) };
interface FailureOptions extends Form {
  q?: string;
  step?: number;
  country?: string;
  reason?: string;
  outcome?: 'unknown';
  batch?: number;
  failedFrom?: string;
  failedUntil?: string;
  limit: number;
}

const failureTable = tableOf<UserFailure>('nobody failed', [
  cut('user', ({ userId }) => userId),
  left('step', ({ step }) => String(step)),
  left('country', ({ country }) => country),
  optional('variant', ({ variant }) => variant),
  left('outcome', ({ outcome }) => outcome),
  cut('reason', ({ reason }) => reason),
  cut('detail', ({ detail }) => detail ?? ''),
  right('attempts', ({ attempts }) => attempts),
  left('when', ({ failedAt }) => utcTime(failedAt)),
]);

const receiptTable = tableOf<UserReceipt>('no receipt', [
  cut('user', ({ userId }) => userId),
  left('step', ({ step }) => String(step)),
  left('country', ({ country }) => country),
  left('status', ({ status }) => status),
  cut('code', ({ code }) => code ?? ''),
  left('when', ({ at }) => utcTime(at)),
]);

const orAll = (options: { limit: number }) => `${widerLimit(options)}, or all with --csv`;

/** @param named argument such as `<run|campaign>` */
export const failures = (named: string) =>
  byHand({
    name: 'failures',
    args: [named],
    description: 'list failed users with the reason',
    options: {
      ...ofStep,
      q: text('--user <start>', 'only users whose id begins with this text'),
      reason: text('--reason <reason>', 'only with this reason'),
      batch: whole('--batch <n>', 'only in this batch'),
      failedFrom: text('--from <time>', 'only from this time on; RFC 3339'),
      failedUntil: text('--until <time>', 'only before this time'),
      ...limit,
      ...forms,
    },
    run: listFailures,
  });

export const unknown = byHand({
  name: 'unknown',
  args: ['<run|campaign>'],
  description: 'list users with an unknown outcome',
  options: {
    ...ofStep,
    ...limit,
    csv: flag('--csv', 'all as CSV, for a comparison with the records of the called service'),
    ndjson: forms.ndjson,
  },
  run: ({ options, ...call }) => listFailures({ ...call, options: { ...options, outcome: 'unknown' } }),
});

/** Lists failed users: the first ones as a table, or all as a file. */
async function listFailures(call: Call<[string], FailureOptions>): Promise<ExitCode> {
  const { csv: _csv, raw: _raw, excel: _excel, ndjson: _ndjson, limit: most, ...filter } = call.options;
  const accept = typeOf(call.options, call.context.json);
  if (accept !== undefined) return writeAll('failures', filter, accept, call);
  const ask = {
    ask: async ({ client, args: [id] }: ApiCall<[string], FailureOptions>) =>
      listRunFailures({ client, path: { id: await runOf(id, client) }, query: { ...filter, limit: most } }),
  };
  return answer({ ...ask, render: failureTable, more: orAll }, call);
}

export const receipts = byHand({
  name: 'receipts',
  args: ['<run|campaign>'],
  description: 'list users with a receipt: delivered or undelivered',
  options: {
    status: oneOf('--status <status>', 'only those', ['delivered', 'undelivered']),
    ...ofStep,
    ...limit,
    ...forms,
  },
  run: (call) => {
    const { csv: _csv, raw: _raw, excel: _excel, ndjson: _ndjson, limit: most, status, step, country } = call.options;
    const filter = {
      ...(step !== undefined && { step }),
      ...(country !== undefined && { country }),
      ...(status && { status }),
    };
    const accept = typeOf(call.options, call.context.json);
    if (accept !== undefined) return writeAll('receipts', filter, accept, call);
    const ask = {
      ask: async ({ client, args: [id] }: ApiCall<[string], typeof call.options>) =>
        listRunReceipts({ client, path: { id: await runOf(id, client) }, query: { ...filter, limit: most } }),
    };
    return answer({ ...ask, render: receiptTable, more: orAll }, call);
  },
});

const userTable = tableOf<RunUser>('nobody is there', [
  cut('user', ({ userId }) => userId),
  left('country', ({ country }) => country),
  optional('variant', ({ variant }) => variant),
  left('outcome', ({ outcome }) => outcome),
  right('in step', ({ endedInStep }) => endedInStep),
  cut('reason', ({ reason }) => reason ?? ''),
  cut('steps', ({ steps }) => steps.map((outcome) => outcome ?? '–').join(' ')),
]);

export const users = byHand({
  name: 'users',
  args: ['<run|campaign>'],
  description: 'list all users with the outcome of each step',
  options: {
    outcome: oneOf(
      '--outcome <outcome>',
      'only users with this outcome, in the given step or of the whole chain',
      userOutcomes,
    ),
    ...ofStep,
    ...limit,
    ...forms,
  },
  run: (call) => {
    const { csv: _csv, raw: _raw, excel: _excel, ndjson: _ndjson, limit: most, ...filter } = call.options;
    const accept = typeOf(call.options, call.context.json);
    if (accept !== undefined) return writeAll('users', filter, accept, call);
    const ask = {
      ask: async ({ client, args: [id] }: ApiCall<[string], typeof call.options>) =>
        listRunUsers({ client, path: { id: await runOf(id, client) }, query: { ...filter, limit: most } }),
    };
    return answer({ ...ask, render: userTable, more: orAll }, call);
  },
});

const heldOutTable = tableOf<HeldOutUser>('nobody is held out', [
  cut('user', ({ userId }) => userId),
  left('country', ({ country }) => country),
  optional('variant', ({ variant }) => variant),
]);

export const heldOut = byHand({
  name: 'held-out',
  args: ['<run|campaign>'],
  description: 'list users of the hold-out group',
  options: { country: ofStep.country, ...limit, ...forms },
  run: (call) => {
    const { csv: _csv, raw: _raw, excel: _excel, ndjson: _ndjson, limit: most, ...filter } = call.options;
    const accept = typeOf(call.options, call.context.json);
    if (accept !== undefined) return writeAll('held-out', filter, accept, call);
    const ask = {
      ask: async ({ client, args: [id] }: ApiCall<[string], typeof call.options>) =>
        listHeldOutUsers({ client, path: { id: await runOf(id, client) }, query: { ...filter, limit: most } }),
    };
    return answer({ ...ask, render: heldOutTable, more: orAll }, call);
  },
});
