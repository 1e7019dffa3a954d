import type { Pool } from 'pg';
import { readServiceSettings, type ServiceSetting } from '../../../../shared/postgres/registry/service-settings.ts';

interface DatabaseFacts {
  version: string;
  bytes: number;
  now: Date;
  migration: string | null;
  installedAt: Date;
}

interface NodeCount {
  kind: string;
  region: string;
  processes: number;
  oldestAt: Date;
}

export interface SystemFacts {
  database: DatabaseFacts;
  /** Alive. */
  nodes: NodeCount[];
  settings: ServiceSetting[];
}

export type SystemFactsReader = ReturnType<typeof createSystemFacts>;

/** What the database knows of its installation. All of it is small, however much the installation does. */
export function createSystemFacts({ pool }: { pool: Pool }) {
  return async (): Promise<SystemFacts> => {
    const [database, nodes, settings] = await Promise.all([
      pool.query<DatabaseFacts>(selectDatabase),
      pool.query<NodeCount>(selectNodes),
      readServiceSettings(pool),
    ]);
    const [facts] = database.rows;
    if (!facts) throw new Error('the database has no installation');
    return { database: facts, nodes: nodes.rows, settings };
  };
}

const selectDatabase = `
  select current_setting('server_version') as version, pg_database_size(current_database())::float8 as bytes,
    clock_timestamp() as now, (select name from knex_migrations order by id desc limit 1) as migration,
    created_at as "installedAt"
  from installation`;

const selectNodes = `
  select kind, region, count(*)::int as processes, min(started_at) as "oldestAt" from job_nodes
  where expires_at > now() group by kind, region order by kind collate "C", region collate "C"`;
