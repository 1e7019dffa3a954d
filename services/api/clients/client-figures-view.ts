import {
  mostCountedClients,
  type ClientForecastShape,
  type ClientLedgerShape,
  type JobCountsShape,
} from '../../../shared/contracts/jobs/client-figures.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { ledgerDifference } from '../../../shared/domain/job/ledger-balance.ts';
import { partitionCount } from '../../../shared/domain/partitioning.ts';
import type { MinuteForecast } from './postgres/client-figures.ts';
import type { ClientLedger } from './postgres/client-ledgers.ts';
import type { ClientTotals } from './postgres/client-totals.ts';

export function ledgerView(clientId: string, { check, ...counts }: ClientLedger, now: Date): ClientLedgerShape {
  const difference = check ? ledgerDifference(check) : 0;
  return {
    clientId: publicId('client', clientId),
    asOf: now.toISOString(),
    ...counts,
    check: check && {
      at: check.at.toISOString(),
      stored: check.expected,
      counted: check.counted,
      partitions: check.partitions,
      due: check.due,
      oldestDueMs: msSince(check.oldestDueAt, check.at),
      blocked: check.blocked,
      blockedKeys: check.blockedKeys,
      oldestBlockedMs: msSince(check.oldestBlockedAt, check.at),
      openHosts: check.hosts,
      difference,
    },
    balanced: difference === 0,
  };
}

/** Returns the sums of all clients, and the counts of the first clients in the list. */
export function countsView(totals: readonly ClientTotals[], now: Date): JobCountsShape {
  const sum = (field: Exclude<keyof ClientTotals, 'clientId'>) => totals.reduce((all, each) => all + each[field], 0);
  return {
    asOf: now.toISOString(),
    accepted: sum('accepted'),
    called: sum('called'),
    expired: sum('expired'),
    cancelled: sum('cancelled'),
    dead: sum('dead'),
    stored: sum('stored'),
    clients: totals
      .slice(0, mostCountedClients)
      .map(({ clientId, ...counts }) => ({ clientId: publicId('client', clientId), ...counts })),
  };
}

function msSince(before: Date | null, at: Date): number {
  return before ? Math.max(0, at.getTime() - before.getTime()) : 0;
}

export function forecastView(
  { clientId, publishRatePerSecond }: { clientId: string; publishRatePerSecond: number | null },
  { minutes, partitions }: MinuteForecast,
  { hours, now }: { hours: number; now: Date },
): ClientForecastShape {
  const lines = minutes.map(({ atMs, calls }) => {
    const isFull = publishRatePerSecond !== null && calls > publishRatePerSecond * 60;
    return { minute: new Date(atMs).toISOString(), calls, callsPerSecond: perSecond(calls), full: isFull };
  });
  const peak = lines.reduce<(typeof lines)[number] | null>(
    (most, each) => (most && most.calls >= each.calls ? most : each),
    null,
  );
  return {
    clientId: publicId('client', clientId),
    asOf: now.toISOString(),
    hours,
    publishRatePerSecond,
    estimated: partitions < partitionCount,
    peak: peak && { minute: peak.minute, callsPerSecond: peak.callsPerSecond },
    minutes: lines,
  };
}

function perSecond(calls: number): number {
  return Math.round((calls / 60) * 100) / 100;
}
