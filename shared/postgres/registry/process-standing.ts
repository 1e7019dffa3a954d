import type { Pool } from 'pg';
import { mostApartMs } from '../connection/check-clock.ts';
import { onlyRow } from '../connection/rows.ts';

export interface OffClock {
  /** `worker@host`. */
  name: string;
  service: string;
  region: string;
  /** Offset from the database's clock. */
  aheadMs: number;
  /** Uncertainty of the offset. */
  withinMs: number;
}

export interface ProcessClocks {
  /**
   * Number of processes that have measured the offset of their clock. A process that started a second ago has not
   * measured it yet.
   */
  known: number;
  /** Largest distance among all clocks and the database's, including uncertainty; null if no offset is known. */
  apartMs: number | null;
  /** Number of processes that are certainly more than a second off. */
  offCount: number;
  /** The five largest offsets. */
  off: OffClock[];
}

export interface ProcessRuntime {
  zoneData: string;
  node: string;
  processes: number;
  /** Names of the first five, as `worker@host`. */
  names: string[];
}

export interface ProcessStanding {
  clocks: ProcessClocks;
  /** Runtimes of the processes, sorted by number of processes, descending. */
  runtimes: ProcessRuntime[];
}

/** Reads the clock offsets of all running processes, and their zone data and Node versions, as they report them. */
export async function readProcessStanding(pool: Pool): Promise<ProcessStanding> {
  const [clocks, off, runtimes] = await Promise.all([
    pool.query<Omit<ProcessClocks, 'off'>>(selectClocks, [mostApartMs]),
    pool.query<OffClock>(selectOff, [mostApartMs]),
    pool.query<ProcessRuntime>(selectRuntimes),
  ]);
  return { clocks: { ...onlyRow(clocks.rows), off: off.rows }, runtimes: runtimes.rows };
}

/** True if the smallest possible offset exceeds $1 ms. */
const isOff = `abs(clock_offset_ms) - clock_uncertainty_ms > $1::float8`;

const selectClocks = `
  select count(clock_offset_ms)::int as known, (count(*) filter (where ${isOff}))::int as "offCount",
    case when count(clock_offset_ms) > 0 then greatest(max(clock_offset_ms + clock_uncertainty_ms), 0)
      - least(min(clock_offset_ms - clock_uncertainty_ms), 0) end as "apartMs"
  from processes where expires_at > now() and clock_offset_ms is not null`;

const selectOff = `
  select split_part(owner, '/', 1) as name, service, region, clock_offset_ms as "aheadMs",
    clock_uncertainty_ms as "withinMs"
  from processes where expires_at > now() and ${isOff}
  order by abs(clock_offset_ms) desc, owner limit 5`;

const selectRuntimes = `
  select zone_data as "zoneData", node, count(*)::int as processes,
    (array_agg(split_part(owner, '/', 1) order by started_at, owner))[1:5] as names
  from processes where expires_at > now()
  group by zone_data, node order by processes desc, zone_data collate "C" desc, node collate "C" desc`;
