import type { EventEmitter } from 'node:events';
import type { Logger } from '../logger.ts';

/**
 * Writes warnings of Node.js to the log, in place of stderr: a reader of the log expects an entry in each line. A
 * library may cause one at any time, for example by a negative time-out.
 *
 * @param process the process whose `warning` events are taken over
 */
export function logWarnings(logger: Logger, process: EventEmitter): void {
  // Node's own listener, which prints them.
  process.removeAllListeners('warning');
  process.on('warning', (warning: Error) => logger.warn({ warning: warning.name, err: warning }, 'Node.js warns'));
}
