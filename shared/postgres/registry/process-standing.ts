import type { Pool } from 'pg';
import { mostApartMs } from '../connection/clock-look.ts';
import { onlyRow } from '../connection/rows.ts';

/** One process whose clock is off. */
export interface OffClock {
  /** `worker@host`. */
  name: string;
  service: string;
  region: string;
  /** Of the database's clock. */
  aheadMs: number;
  /** By how much that may be wrong. */
  withinMs: number;
}

export interface ProcessClocks {
  /** Processes that have compared theirs: one that began a second ago has not. */
  known: number;
  /** So far at most are all of them and the database's apart, what may be wrong included; null where none is known. */
  apartMs: number | null;
  /** How many are more than a second off for sure. */
  offCount: number;
  /** Of those the worst five. */
  off: OffClock[];
}

export interface ProcessRuntime {
  zoneData: string;
  node: string;
  processes: number;
  /** Of the first five: `worker@host`. */
  names: string[];
}

export interface ProcessStanding {
  clocks: ProcessClocks;
  /** Most processes first. */
  runtimes: ProcessRuntime[];
}

/** How the clocks of all processes that run are, and by which zone data and Node they run, as each says itself. */
export async function readProcessStanding(pool: Pool): Promise<ProcessStanding> {
  const [clocks, off, runtimes] = await Promise.all([
    pool.query<Omit<ProcessClocks, 'off'>>(selectClocks, [mostApartMs]),
    pool.query<OffClock>(selectOff, [mostApartMs]),
    pool.query<ProcessRuntime>(selectRuntimes),
  ]);
  return { clocks: { ...onlyRow(clocks.rows), off: off.rows }, runtimes: runtimes.rows };
}

/** At its best it is more than so far off. */
const isOff = `abs(clock_ahead_ms) - clock_within_ms > $1::float8`;

/** $1 ms. */
const selectClocks = `
  select count(clock_ahead_ms)::int as known, (count(*) filter (where ${isOff}))::int as "offCount",
    case when count(clock_ahead_ms) > 0 then greatest(max(clock_ahead_ms + clock_within_ms), 0)
      - least(min(clock_ahead_ms - clock_within_ms), 0) end as "apartMs"
  from processes where expires_at > now() and clock_ahead_ms is not null`;

/** $1 ms. */
const selectOff = `
  select split_part(owner, '/', 1) as name, service, region, clock_ahead_ms as "aheadMs", clock_within_ms as "withinMs"
  from processes where expires_at > now() and ${isOff}
  order by abs(clock_ahead_ms) desc, owner limit 5`;

const selectRuntimes = `
  select zone_data as "zoneData", node, count(*)::int as processes,
    (array_agg(split_part(owner, '/', 1) order by started_at, owner))[1:5] as names
  from processes where expires_at > now()
  group by zone_data, node order by processes desc, zone_data collate "C" desc, node collate "C" desc`;
