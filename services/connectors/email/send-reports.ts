import type { Clock } from '../../../shared/ports/clock.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { createLoop, type Loop } from '../../../shared/runtime/loop.ts';
import type { MusterApi, ReportQueue } from './reports.port.ts';

export interface SendReportsDeps {
  queue: ReportQueue;
  muster: MusterApi;
  clock: Clock;
  logger: Logger;
}

/** Milliseconds until the next poll if there is nothing to send, because another process may add a report. */
const pollEveryMs = 5000;
/** Milliseconds until the next try if Muster accepts none of the reports. */
const againAfterMs = 10_000;

/** Creates the loop that sends receipts and suppressions to Muster until Muster has accepted them. */
export function createReportLoop({ queue, muster, clock, logger }: SendReportsDeps): Loop {
  return createLoop({
    name: 'report-mails',
    turn: async () => {
      const groups = await queue.groups();
      let isTaken = false;
      for (const taken of groups) {
        const { group } = taken;
        const cause = await muster.send(group);
        if (cause === undefined) {
          await taken.done();
          isTaken = true;
        } else {
          const list = group.kind === 'suppression' ? group.list : undefined;
          logger.error({ kind: group.kind, list, cause }, 'Muster takes no reports of mails: they are kept');
        }
      }
      if (groups.length === 0) return pollEveryMs;
      return isTaken ? 0 : againAfterMs;
    },
    afterErrorMs: againAfterMs,
    clock,
    logger,
  });
}
