import { describe, expect, it } from 'vitest';
import { lineOf, progressOf } from '../../runs/sample-run.ts';
import { createIncident } from './incident.ts';

const wait = {
  step: 1,
  action: 'award-reward',
  country: 'VN',
  cause: 'endpoint is down',
  since: '2026-11-21T09:00:00.000Z',
  batches: 3,
  held: false,
  nextTryAt: null,
  blockedBy: null,
  timeoutMs: null,
  nextStep: '',
  by: 'step' as const,
};

function inVietnam(ended: number, waits = [wait].slice(1)) {
  const line = lineOf({ audience: 100, succeeded: ended });
  return progressOf({ countries: [{ country: 'VN', audience: 100, excluded: 0, steps: [line] }], waits });
}

describe('the incident of the demo', () => {
  it('slows one country down, then fails its rewards, and ends the failure once the breaker has opened', () => {
    const incident = createIncident('VN');
    expect(incident.update(inVietnam(10), 0)).toBeUndefined();
    expect(incident.update(inVietnam(20), 1000)).toMatchObject({
      faults: { calls: [{ name: 'slow', countries: ['VN'] }] },
    });
    expect(incident.update(inVietnam(30), 3999)).toBeUndefined();
    expect(incident.update(inVietnam(30), 4000)).toMatchObject({ faults: { calls: [{ answer: { status: 503 } }] } });
    expect(incident.update(inVietnam(40), 5000)).toBeUndefined();
    const open = incident.update(inVietnam(40, [wait]), 6000);
    expect(open?.faults).toBeUndefined();
    expect(open?.say).toContain('the breaker is open (endpoint is down)');
    expect(incident.update(inVietnam(40, [wait]), 9999)).toBeUndefined();
    expect(incident.update(inVietnam(40, [wait]), 10_000)).toMatchObject({ faults: {} });
    expect(incident.update(inVietnam(50), 60_000)).toBeUndefined();
  });

  it('ends the failure after 15 s if no breaker has opened', () => {
    const incident = createIncident('VN');
    incident.update(inVietnam(20), 0);
    incident.update(inVietnam(20), 3000);
    expect(incident.update(inVietnam(20), 17_999)).toBeUndefined();
    expect(incident.update(inVietnam(20), 18_000)).toMatchObject({ faults: {} });
  });

  it('breaks nothing in a country that has finished or is not in the run', () => {
    expect(createIncident('VN').update(inVietnam(100), 0)).toBeUndefined();
    expect(createIncident('SG').update(inVietnam(50), 0)).toBeUndefined();
  });
});
