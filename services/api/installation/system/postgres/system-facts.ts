import type { Pool } from 'pg';
import { readLogArchive, type LogArchive } from '../../../../../shared/postgres/connection/log-archive.ts';
import {
  readPartitionsAhead,
  type PartitionsAhead,
} from '../../../../../shared/postgres/connection/partitions-ahead.ts';
import { readProcessStanding, type ProcessStanding } from '../../../../../shared/postgres/registry/process-standing.ts';
import { readServiceSettings, type ServiceSetting } from '../../../../../shared/postgres/registry/service-settings.ts';

interface DatabaseFacts {
  version: string;
  bytes: number;
  now: Date;
  migration: string | null;
  /** Version of Muster that changed the schema last. */
  schemaVersion: string | null;
  installedAt: Date;
}

interface NodeCount {
  kind: string;
  region: string;
  processes: number;
  oldestAt: Date;
}

interface ProcessCount {
  service: string;
  version: string;
  region: string;
  processes: number;
  oldestAt: Date;
  /** Names of some of the processes, as `worker@host`. */
  names: string[];
}

export interface SystemFacts extends ProcessStanding {
  database: DatabaseFacts;
  partitions: PartitionsAhead;
  logArchive: LogArchive;
  nodes: NodeCount[];
  processes: ProcessCount[];
  settings: ServiceSetting[];
}

export type SystemFactsReader = ReturnType<typeof createSystemFacts>;

/** Reads what the database records about the installation. The amount of this data does not grow with the load. */
export function createSystemFacts({ pool }: { pool: Pool }) {
  return async (): Promise<SystemFacts> => {
    const [database, partitions, logArchive, nodes, processes, standing, settings] = await Promise.all([
      pool.query<DatabaseFacts>(selectDatabase),
      readPartitionsAhead(pool),
      readLogArchive(pool),
      pool.query<NodeCount>(selectNodes),
      pool.query<ProcessCount>(selectProcesses),
      readProcessStanding(pool),
      readServiceSettings(pool),
    ]);
    const [facts] = database.rows;
    if (!facts) throw new Error('the database has no installation');
    return {
      database: facts,
      partitions,
      logArchive,
      nodes: nodes.rows,
      processes: processes.rows,
      ...standing,
      settings,
    };
  };
}

const selectDatabase = `
  select current_setting('server_version') as version, pg_database_size(current_database())::float8 as bytes,
    clock_timestamp() as now, (select name from knex_migrations order by id desc limit 1) as migration,
    (select version from schema_versions order by migrated_at desc limit 1) as "schemaVersion",
    created_at as "installedAt"
  from installation`;

const selectNodes = `
  select kind, region, count(*)::int as processes, min(started_at) as "oldestAt" from job_nodes
  where expires_at > now() group by kind, region order by kind collate "C", region collate "C"`;

const selectProcesses = `
  select service, version, region, count(*)::int as processes, min(started_at) as "oldestAt",
    (array_agg(split_part(owner, '/', 1) order by started_at, owner))[1:5] as names
  from processes where expires_at > now()
  group by service, version, region order by service collate "C", version collate "C", region collate "C"`;
