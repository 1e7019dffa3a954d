import type { PoolClient } from 'pg';
import type { KeptSchedule } from '../../../../shared/contracts/schedules/kept-schedules.ts';
import { everyDayWorks, recurrenceOf } from '../../../../shared/contracts/schedules/recurrences.ts';
import { BeyondScheduleBoundError } from '../../../../shared/domain/quotas.ts';
import { instantsPerHour } from '../../../../shared/domain/recurrence/fires-per-hour.ts';
import { selectGroups } from '../../../../shared/domain/recurrence/groups.ts';
import { readGroups } from '../../../../shared/postgres/schedules/fire-schedules.ts';
import { defaultFiresPerSecond } from '../../../../shared/postgres/schedules/room-for-fires.ts';

/**
 * Returns the number of jobs that a schedule creates in an hour. Groups selected by name count even before they are
 * registered. Groups selected by tag count as they are registered now.
 */
export async function firesPerHourOf(client: PoolClient, { recurrence, groups }: KeptSchedule): Promise<number> {
  const instants = instantsPerHour(recurrenceOf(recurrence, 0, everyDayWorks));
  if (groups === undefined) return instants;
  const all = 'names' in groups ? new Set(groups.names).size : selectGroups(groups, await readGroups(client)).length;
  return instants * all;
}

interface WantedFires {
  scheduleId: string;
  clientId: string;
  firesPerHour: number;
}

/**
 * Returns the limit of the client that the schedule would exceed. Concurrent writers of the client's schedules wait for
 * this transaction. A schedule that now creates fewer jobs than before may stay above the limit.
 */
export async function beyondBounds(
  client: PoolClient,
  { scheduleId, clientId, firesPerHour }: WantedFires,
): Promise<BeyondScheduleBoundError | undefined> {
  const { rows: limits } = await client.query<Limits>(lockClient, [clientId, defaultFiresPerSecond]);
  const { rows: sums } = await client.query<Sums>(sumSchedules, [clientId, scheduleId]);
  const [[limit], [sum]] = [limits, sums];
  if (!limit || !sum) return undefined;
  if (sum.own === null && sum.schedules >= limit.maxSchedules) {
    const detail = `this client has ${sum.schedules} schedules, and maxSchedules is ${limit.maxSchedules}`;
    return new BeyondScheduleBoundError('maxSchedules', detail);
  }
  const most = limit.perSecond * 3600;
  if (firesPerHour <= (sum.own ?? 0) || sum.fires + firesPerHour <= most) return undefined;
  const [own, others] = [firesPerHour, sum.fires].map((fires) => Math.ceil(fires).toLocaleString('en-GB'));
  const detail =
    `this schedule makes ${own} jobs an hour, for all its groups, and the others of this client make ${others}: ` +
    `acceptPerSecond, which is ${limit.perSecond}, allows ${most.toLocaleString('en-GB')} an hour`;
  return new BeyondScheduleBoundError('acceptPerSecond', detail);
}

interface Limits {
  maxSchedules: number;
  perSecond: number;
}

interface Sums {
  schedules: number;
  fires: number;
  /** Number of jobs that this schedule creates in an hour so far; null if it does not belong to the client yet. */
  own: number | null;
}

const lockClient = `
  select coalesce((definition ->> 'maxSchedules')::float8, 10000) as "maxSchedules",
    coalesce((definition ->> 'acceptPerSecond')::float8, $2::float8) as "perSecond"
  from clients where id = $1 for no key update`;

const sumSchedules = `
  select count(*)::float8 as schedules,
    coalesce(sum(fires_per_hour) filter (where id <> $2), 0) as fires,
    max(fires_per_hour) filter (where id = $2) as own
  from schedules where client = $1`;
