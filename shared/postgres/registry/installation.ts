import type { Pool, PoolClient } from 'pg';
import {
  contradictionsBetween,
  installationConfig,
  mergedConfig,
  type InstallationConfig,
} from '../../runtime/installation/installation-config.ts';
import type { Seed } from '../../ports/registry.ts';
import { StartRefusedError } from '../../runtime/process/start-refused.ts';
import { overwriteRegistry, seedRegistry } from './registry.ts';
import { onlyRow } from '../connection/rows.ts';
import { inTransaction } from '../connection/transaction.ts';

export interface Installation {
  id: string;
  config: InstallationConfig;
}

/** Another version may have written the config. */
type InstallationRow = Omit<Installation, 'config'> & { config: unknown };

function installationOf(rows: readonly InstallationRow[]): Installation {
  const { id, config } = onlyRow(rows);
  return { id, config: installationConfig.parse(config) };
}

/** @throws when the database holds no installation: it was not migrated */
export async function readInstallation(pool: Pool): Promise<Installation> {
  const { rows } = await pool.query<InstallationRow>('select id, config from installation');
  return installationOf(rows);
}

/**
 * Keeps what a file brings that the installation has not yet, its action types in the registry. Safe to run from
 * several processes at once.
 * @returns the installation's id
 * @throws {StartRefusedError} when the file contradicts the installation
 */
export async function joinInstallation(pool: Pool, file: InstallationConfig, seed?: Seed): Promise<string> {
  return await inTransaction(pool, async (client) => {
    const { id, config } = await lockInstallation(client);
    const contradictions = contradictionsBetween(config, file);
    if (contradictions.length > 0) {
      throw new StartRefusedError(
        `MUSTER_CONFIG contradicts this installation: correct the file,
          or change the installation with \`muster config apply\`\n${contradictions.join('\n')}`,
      );
    }
    await keep(client, config, file);
    if (seed) await seedRegistry(client, seed);
    return id;
  });
}

/**
 * Makes the file's word the installation's, and the registry's. Returns what differed, a line each. Running processes
 * follow the registry; a segmentation service they keep until they are started again.
 */
export async function applyConfig(pool: Pool, file: InstallationConfig, seed?: Seed): Promise<string[]> {
  return await inTransaction(pool, async (client) => {
    const { config } = await lockInstallation(client);
    await keep(client, config, file);
    const contradictions = contradictionsBetween(config, file);
    if (!seed) return contradictions;
    const changed = await overwriteRegistry(client, seed);
    await seedRegistry(client, seed);
    // What differs in both is listed once, as the registry had it.
    const isListed = (line: string) => changed.some((other) => other.split(':')[0] === line.split(':')[0]);
    return [...contradictions.filter((line) => !isListed(line)), ...changed];
  });
}

async function lockInstallation(client: PoolClient): Promise<Installation> {
  const { rows } = await client.query<InstallationRow>('select id, config from installation for update');
  return installationOf(rows);
}

async function keep(client: PoolClient, kept: InstallationConfig, file: InstallationConfig): Promise<void> {
  await client.query('update installation set config = $1', [JSON.stringify(mergedConfig(kept, file))]);
}
