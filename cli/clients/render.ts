import type { Client, ClientEndpoint, ClientForecast, ClientLedger } from '../../sdk/generated/types.gen.ts';
import { inCommands } from '../api/in-commands.ts';
import type { View } from '../show/paint.ts';
import { count } from '../show/numbers.ts';
import { left, renderFacts, renderItems, right } from '../show/tables.ts';
import { utcTime } from '../show/times.ts';

type Standing = 'enabled' | 'disabledReason' | 'keys' | 'warnings';
type Rules = Pick<ClientEndpoint, 'name' | 'revision' | 'createdAt' | 'updatedAt' | Standing> & { links: object };

/** Renders a client with its endpoint `default`. Field names are those that `muster clients create` accepts. */
export function renderClient({ id, endpoint, ...rules }: Client, view: View): string {
  const { name: _, clientId: __, revision: ___, createdAt: ____, updatedAt: _____, links: ______, ...own } = endpoint;
  const { enabled, disabledReason, keys, warnings, ...terms } = own;
  const named = Object.fromEntries(Object.entries(terms).map(([field, value]) => [`endpoint.${field}`, value]));
  return renderRules({ ...rules, ...named, enabled, disabledReason, keys, warnings }, id, view);
}

/** Renders a line for each field. Unknown fields, which later versions of the API may add, are shown unformatted. */
export function renderRules(rules: Rules, id: string, view: View): string {
  const { name, revision, enabled, disabledReason, keys, warnings, ...more } = rules;
  const { createdAt: _, updatedAt, links: __, ...fields } = more;
  const state = enabled ? 'enabled' : `disabled${disabledReason === null ? '' : ` (${disabledReason})`}`;
  const facts = [
    ...Object.entries(fields).map(([field, value]) => [field, textOf(value)] as const),
    ...keys.map(
      (key) => ['key', `${key.id}${key.expiresAt === null ? '' : `, until ${utcTime(key.expiresAt)}`}`] as const,
    ),
    ...warnings.map(({ detail }) => ['warning', inCommands(detail)] as const),
  ];
  return renderFacts({ name, facts: [id, `revision ${revision}`, state, utcTime(updatedAt)] }, facts, view);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function renderLedger(ledger: ClientLedger, { paint }: View): string {
  const { accepted, called, expired, cancelled, dead, sidelined, pending, check, balanced } = ledger;
  const parts = { accepted, called, expired, cancelled, dead, sidelined, pending };
  const lines = Object.entries(parts).map(
    ([name, jobs]) => `  ${paint.faint(name.padEnd(10))}${count(jobs).padStart(14)}\n`,
  );
  const waiting =
    ledger.waiting === 0 ? '' : `  ${count(ledger.waiting)} of these wait for others of their ordering key\n`;
  const reporting =
    ledger.reporting === 0 ? '' : `  ${count(ledger.reporting)} of these wait for the report of their receiver\n`;
  const checked = check
    ? `checked ${utcTime(check.at)}: ${count(check.counted)} counted in ${check.partitions} of 64 partitions, ${dueOf(check)}`
    : 'not checked yet';
  const verdict = balanced ? 'it balances' : `it does not balance: ${check?.difference ?? 0} jobs`;
  return `${lines.join('')}${waiting}${reporting}\n  ${paint.faint(checked)}; ${verdict}\n`;
}

/** Describes the number of waiting jobs, and the age of the oldest one. */
function dueOf({
  due,
  oldestDueMs,
  blockedKeys,
  oldestBlockedMs,
  openHosts,
}: NonNullable<ClientLedger['check']>): string {
  const oldest = due === 0 ? '' : `, the oldest for ${Math.round(oldestDueMs / 1000)} s`;
  const hosts = openHosts === 0 ? '' : `, ${openHosts} hosts with an open circuit`;
  const seconds = Math.round(oldestBlockedMs / 1000);
  const lines =
    blockedKeys === 0 ? '' : `, ${count(blockedKeys)} ordering keys with blocked jobs, for up to ${seconds} s`;
  return `${count(due)} due${oldest}${lines}${hosts}`;
}

export function renderForecast({ minutes, peak, estimated, hours }: ClientForecast, view: View): string {
  if (!peak) return `nothing is due in the next ${hours} hours\n`;
  const table = renderItems(
    minutes,
    [
      left('minute (UTC)', ({ minute }) => utcTime(minute)),
      right('calls', ({ calls }) => calls),
      right('per second', ({ callsPerSecond }) => String(callsPerSecond)),
      left('', ({ full }) => (full ? 'full: some begin later' : '')),
    ],
    view,
  );
  return `${table}${estimated ? `  ${view.paint.faint('reckoned from a part of what is stored')}\n` : ''}`;
}
