import type { RunProgress } from '../../../sdk/generated/types.gen.ts';
import { oneLine } from '../../show/text.ts';

export interface IncidentStep {
  /** Faults of the sandbox, which replace all previous ones (services/sandbox/README.md). */
  faults?: object;
  say: string;
}

/** An incident within seconds: one country's rewards become slow, fail and recover, while other countries continue. */
export interface Incident {
  /** Called with each progress of the run. */
  update(progress: RunProgress, nowMs: number): IncidentStep | undefined;
}

/** Share of the country's users with a reward at which the incident begins, so that its effect is visible. */
const beginsAtShare = 0.15;
const extraLatencyMs = 1500;
const slowForMs = 3000;
/** Milliseconds for which the country stays down after its breaker was first seen open. Small runs may end earlier. */
const openForMs = 4000;
const downAtMostMs = 15_000;

type Phase = 'ahead' | 'slow' | 'down' | 'over';

export function createIncident(country: string): Incident {
  let phase: Phase = 'ahead';
  let sinceMs = 0;
  let seenOpenMs: number | undefined;
  const rewardsThere = { services: ['rewards'], countries: [country] };

  function enter(next: Phase, nowMs: number, step: IncidentStep): IncidentStep {
    phase = next;
    sinceMs = nowMs;
    return step;
  }

  function whileDown(progress: RunProgress, nowMs: number): IncidentStep | undefined {
    const wait = progress.waits.find((one) => one.country === country);
    if (wait && seenOpenMs === undefined) {
      seenOpenMs = nowMs;
      return { say: `${country}: the breaker is open (${oneLine(wait.cause)}); its work waits and burns no attempts` };
    }
    const isLongEnough = seenOpenMs !== undefined && nowMs - seenOpenMs >= openForMs;
    if (!isLongEnough && nowMs - sinceMs < downAtMostMs) return undefined;
    return enter('over', nowMs, { faults: {}, say: `${country}: rewards are back; a probe, then a slow start` });
  }

  return {
    update: (progress, nowMs) => {
      switch (phase) {
        case 'ahead': {
          if (!isUnderWay(progress, country)) return undefined;
          const slow = { name: 'slow', ...rewardsThere, latencyMs: extraLatencyMs };
          return enter('slow', nowMs, {
            faults: { calls: [slow] },
            say: `${country}: rewards get slow, ${extraLatencyMs / 1000} s more a call`,
          });
        }
        case 'slow': {
          if (nowMs - sinceMs < slowForMs) return undefined;
          const down = { name: 'down', ...rewardsThere, answer: { kind: 'status', status: 503 } };
          return enter('down', nowMs, {
            faults: { calls: [down] },
            say: `${country}: rewards are down, the others go on`,
          });
        }
        case 'down':
          return whileDown(progress, nowMs);
        case 'over':
          return undefined;
      }
    },
  };
}

function isUnderWay({ countries }: RunProgress, country: string): boolean {
  const first = countries.find((one) => one.country === country)?.steps[0];
  if (!first || first.pending <= 0) return false;
  return first.audience - first.pending >= beginsAtShare * first.audience;
}
