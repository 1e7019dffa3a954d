import type { EventEmitter } from 'node:events';
import type { Logger } from '../logger.ts';

/**
 * Writes warnings of Node.js to the log instead of stderr, because a reader of the log expects an entry in each line. A
 * library may cause a warning at any time, for example by a negative timeout.
 *
 * @param process the process whose `warning` events are redirected
 */
export function logWarnings(logger: Logger, process: EventEmitter): void {
  // Removes Node's own listener, which prints warnings.
  process.removeAllListeners('warning');
  process.on('warning', (warning: Error) => logger.warn({ warning: warning.name, err: warning }, 'Node.js warns'));
}
