import { readFileSync } from 'node:fs';
import type { Trial } from './trial.ts';

/**
 * What a process calls itself in the database, as its log says; undefined before it has said so. The last one, where it
 * was started again.
 */
export function ownerOf({ muster }: Pick<Trial, 'muster'>, name: string): string | undefined {
  const log = readFileSync(muster.services.get(name)?.logFile ?? '', 'utf8');
  return [...log.matchAll(/(?:scheduler|dispatcher)@[^"\\\s]+/g)].at(-1)?.[0];
}
