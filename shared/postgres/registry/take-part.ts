import { isDeepStrictEqual } from 'node:util';
import type { Pool } from 'pg';
import { refusalOf } from '../../domain/versions.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Seed } from '../../ports/registry.ts';
import { createFoldedLog } from '../../runtime/folded-log.ts';
import type { InstallationConfig } from '../../runtime/installation/installation-config.ts';
import type { Logger } from '../../runtime/logger.ts';
import { packageVersion } from '../../runtime/version.ts';
import { StartRefusedError } from '../../runtime/process/start-refused.ts';
import { joinInstallation, readInstallation, type Installation } from './installation.ts';
import { requireOwnSessions, requireWritable } from '../connection/right-server.ts';
import { readSchemaState } from '../connection/schema-state.ts';

export interface TakePartDeps {
  pool: Pool;
  /** Settings of the engine's file; undefined for processes without one. */
  file?: InstallationConfig;
  /** Action types of that file for a registry that lacks them. */
  seed?: Seed;
  clock: Clock;
  logger: Logger;
}

const againAfterMs = 1000;

/** SQLSTATE classes that waiting does not heal: a wrong password, a missing database. */
const hopeless = ['28', '3D'];

/**
 * Admits a process before it takes any work. Waits for the database to answer, then checks that its schema fits this
 * image, and that the file agrees with the installation.
 * @returns the installation's id
 * @throws {StartRefusedError} if this process may not take part
 */
export function takePart(deps: TakePartDeps): Promise<string> {
  return untilDatabaseAnswers(deps, () => tryToTakePart(deps));
}

/**
 * Runs a query that a process needs before it begins, and waits while the database does not answer.
 * @throws {StartRefusedError} if this process may not take part, or waiting does not heal the database's error
 */
export async function untilDatabaseAnswers<Answer>(
  { clock, logger }: Pick<TakePartDeps, 'clock' | 'logger'>,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const log = createFoldedLog({ logger, clock, failing: 'the database does not answer, waiting for it' });
  const source = {};
  for (;;) {
    try {
      const answer = await ask();
      log.worked(source);
      return answer;
    } catch (error) {
      if (error instanceof StartRefusedError) throw error;
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (hopeless.some((prefix) => code.length === 5 && code.startsWith(prefix))) {
        throw new StartRefusedError(`DATABASE_URL: ${error instanceof Error ? error.message : code}`, { cause: error });
      }
      log.failed(source, error);
      await clock.sleep(againAfterMs);
    }
  }
}

/** Tries once. Throws the database's error if it does not answer. */
export async function tryToTakePart({ pool, file, seed, logger }: TakePartDeps): Promise<string> {
  await requireSchema({ pool, logger });
  return file === undefined ? (await readInstallation(pool)).id : await joinInstallation(pool, file, seed);
}

/** Checks again; locks and writes nothing if nothing has changed. @param before last result */
export async function goOnTakingPart(deps: TakePartDeps, before: Installation | undefined): Promise<Installation> {
  if (before) {
    await requireSchema(deps);
    if (isDeepStrictEqual(await readInstallation(deps.pool), before)) return before;
  }
  await tryToTakePart(deps);
  return await readInstallation(deps.pool);
}

async function requireSchema({ pool, logger }: Pick<TakePartDeps, 'pool' | 'logger'>): Promise<void> {
  await requireOwnSessions(pool);
  await requireWritable(pool);
  const state = await readSchemaState(pool);
  const refusal = refusalOf(packageVersion, state);
  if (refusal !== undefined) throw new StartRefusedError(refusal);
  const { unknown, made } = state;
  if (unknown.length > 0) {
    const facts = { unknown, ownVersion: packageVersion, schemaVersion: made?.version };
    logger.warn(facts, 'the database has a newer schema than this version knows');
  }
}
