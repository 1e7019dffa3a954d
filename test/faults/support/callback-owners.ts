import { readFileSync } from 'node:fs';
import type { Trial } from './trial.ts';

/**
 * Returns the owner name of a process according to its log; undefined before it logged the name. For a restarted
 * process, the last one.
 */
export function ownerOf({ muster }: Pick<Trial, 'muster'>, name: string): string | undefined {
  const log = readFileSync(muster.services.get(name)?.logFile ?? '', 'utf8');
  return [...log.matchAll(/(?:scheduler|dispatcher)@[^"\\\s]+/g)].at(-1)?.[0];
}
