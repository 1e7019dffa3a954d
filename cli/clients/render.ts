import { z } from 'zod';
import type { ClientForecastShape, ClientLedgerShape } from '../../shared/contracts/jobs/client-figures.ts';
import { count } from '../show/numbers.ts';
import type { Paint } from '../show/paint.ts';
import { renderTable, type Column } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';
import { utcTime } from '../show/times.ts';

/** What is shown of a client by name; fields that join later are shown as they come. */
export const shownClient = z.looseObject({
  id: z.string(),
  name: z.string(),
  revision: z.int(),
  enabled: z.boolean(),
  disabledReason: z.string().nullable(),
  keys: z.array(z.object({ id: z.string(), createdAt: z.string(), expiresAt: z.string().nullable() })),
  createdAt: z.string(),
  updatedAt: z.string(),
});

export type ShownClient = z.infer<typeof shownClient>;

export const addedKey = z.object({ key: z.object({ id: z.string() }), secret: z.string().nullable() });

const left = (title: string): Column => ({ title, align: 'left' });
const right = (title: string): Column => ({ title, align: 'right' });

export function renderClients(clients: readonly ShownClient[], paint: Paint, width = Infinity): string {
  if (clients.length === 0) return 'no clients\n';
  const columns = [left('name'), left('id'), right('keys'), left('state'), left('changed')];
  const rows = clients.map(({ name, id, keys, enabled, updatedAt }) => [
    oneLine(name),
    id,
    String(keys.length),
    enabled ? 'enabled' : 'disabled',
    utcTime(updatedAt),
  ]);
  return renderTable(columns, rows, paint, width);
}

const inHead = new Set([
  'id',
  'name',
  'revision',
  'enabled',
  'disabledReason',
  'keys',
  'createdAt',
  'updatedAt',
  'links',
]);

/** A line for each field. */
export function renderClient(client: ShownClient, paint: Paint): string {
  const { id, name, revision, enabled, disabledReason, keys, updatedAt } = client;
  const state = enabled ? 'enabled' : `disabled${disabledReason === null ? '' : ` (${oneLine(disabledReason)})`}`;
  const facts = `${id} · revision ${revision} · ${state} · ${utcTime(updatedAt)}`;
  const fields: [string, string][] = [
    ...Object.entries(client)
      .filter(([field]) => !inHead.has(field))
      .map(([field, value]): [string, string] => [field, typeof value === 'string' ? value : JSON.stringify(value)]),
    ...keys.map((key): [string, string] => [
      'key',
      `${key.id}${key.expiresAt === null ? '' : `, until ${utcTime(key.expiresAt)}`}`,
    ]),
  ];
  const width = Math.max(...fields.map(([field]) => field.length));
  const lines = fields.map(([field, value]) => `  ${paint.faint(oneLine(field).padEnd(width))}  ${oneLine(value)}\n`);
  return `  ${paint.strong(oneLine(name))}\n  ${paint.faint(facts)}\n\n${lines.join('')}`;
}

export function renderLedger(ledger: ClientLedgerShape, paint: Paint): string {
  const { accepted, called, expired, cancelled, dead, sidelined, pending, check, balanced } = ledger;
  const parts = { called, expired, cancelled, dead, sidelined, pending };
  const lines = Object.entries({ accepted, ...parts }).map(
    ([name, jobs]) => `  ${paint.faint(name.padEnd(10))}${count(jobs).padStart(14)}\n`,
  );
  const checked = check
    ? `checked ${utcTime(check.at)}: ${count(check.counted)} counted in ${check.partitions} of 64 partitions`
    : 'not checked yet';
  const verdict = balanced ? 'it balances' : `it does not balance: ${check?.difference ?? 0} jobs`;
  return `${lines.join('')}\n  ${paint.faint(checked)}; ${verdict}\n`;
}

export function renderForecast({ minutes, peak, estimated, hours }: ClientForecastShape, paint: Paint): string {
  if (!peak) return `nothing is due in the next ${hours} hours\n`;
  const columns = [left('minute (UTC)'), right('calls'), right('per second'), left('')];
  const rows = minutes.map(({ minute, calls, callsPerSecond, full }) => [
    utcTime(minute),
    count(calls),
    String(callsPerSecond),
    full ? 'full: some begin later' : '',
  ]);
  const note = estimated ? `  ${paint.faint('reckoned from a part of what is stored')}\n` : '';
  return `${renderTable(columns, rows, paint)}${note}`;
}
