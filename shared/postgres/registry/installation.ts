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

/** Row of the installation. Another version may have written its config. */
type InstallationRow = Omit<Installation, 'config'> & { config: unknown };

function installationOf(rows: readonly InstallationRow[]): Installation {
  const { id, config } = onlyRow(rows);
  return { id, config: installationConfig.parse(config) };
}

/** @throws if the database was not migrated, and therefore has no installation row */
export async function readInstallation(pool: Pool): Promise<Installation> {
  const { rows } = await pool.query<InstallationRow>('select id, config from installation');
  return installationOf(rows);
}

/**
 * Stores the file's settings that the installation lacks, and its action types in the registry. Several processes may
 * call it at once.
 * @returns the installation's id
 * @throws {StartRefusedError} if the file contradicts the installation
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
 * Overwrites the installation and the registry with the file. Returns one line for each difference. Running processes
 * follow the registry; they keep their segmentation service until a restart.
 */
export async function applyConfig(pool: Pool, file: InstallationConfig, seed?: Seed): Promise<string[]> {
  return await inTransaction(pool, async (client) => {
    const { config } = await lockInstallation(client);
    await keep(client, config, file);
    const contradictions = contradictionsBetween(config, file);
    if (!seed) return contradictions;
    const changed = await overwriteRegistry(client, seed);
    await seedRegistry(client, seed);
    // A difference in both is listed once, with the registry's value.
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
