import type { Clock } from '../../shared/ports/clock.ts';
import type { Tracing } from '../../shared/ports/tracing.ts';
import type { CallCounts } from './call-counts.ts';
import { callJob, type CallJobDeps } from './call/call-job.ts';
import { recordCall } from './call/job-traces.ts';
import type { ClaimWatch } from './claim-watch.ts';
import type { DispatcherMeter } from './dispatcher-meter.ts';
import type { HeldJobs } from './held-jobs.ts';
import type { HeldJob } from './jobs/held-job.ts';
import type { CircuitKeeper } from './keep-circuits.ts';
import type { RouteCallEnd } from './routes/route-lines.ts';

export interface JobServerDeps extends Omit<CallJobDeps, 'refusalOf' | 'isFirstHand'> {
  keeper: Pick<CircuitKeeper, 'refusalOf' | 'isFirstHand' | 'onCalled'>;
  held: Pick<HeldJobs, 'end'>;
  counts: Pick<CallCounts, 'note'>;
  meter: Pick<DispatcherMeter, 'called'>;
  claimWatch: Pick<ClaimWatch, 'ended'>;
  onEnded: () => void;
  tracing?: Tracing | null | undefined;
  clock: Clock;
}

export interface JobServer {
  /** Number of calls in flight, probes of hosts included. */
  readonly underWay: number;
  /**
   * Calls a job.
   * @param whenDone releases the job's slot, and receives the result of the call for the statistics of its route;
   * absent for a job without a slot
   */
  serve(job: HeldJob, whenDone?: (call: RouteCallEnd | null) => void): void;
}

export function createJobServer(deps: JobServerDeps): JobServer {
  const { keeper, held, counts, meter, claimWatch, onEnded, tracing, clock, random } = deps;
  const callDeps: CallJobDeps = {
    ...deps,
    refusalOf: (job, host) => keeper.refusalOf(job, host),
    isFirstHand: (job) => keeper.isFirstHand(job),
  };
  let underWay = 0;

  return {
    get underWay() {
      return underWay;
    },
    serve: (job, whenDone) => {
      underWay++;
      void callJob(job, callDeps).then((call) => {
        underWay--;
        held.end(call);
        if (call.note.latencyMs !== null) counts.note(job.clientId, call.note.latencyMs);
        const isOfKey = keeper.onCalled(call);
        meter.called(call, clock.monotonicMs() + job.clockAheadMs);
        if (tracing) recordCall(call, tracing, clock, random);
        if (whenDone) {
          claimWatch.ended(call.verdict);
          whenDone(isOfKey ? null : (call.routeEnd ?? null));
        }
        onEnded();
      });
    },
  };
}
