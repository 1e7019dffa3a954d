import { describe, expect, it } from 'vitest';
import { emptyTotals, untouchedRun } from '../../../../test/support/conformance/run-rows.ts';
import type { StepTotals } from '../../../../shared/domain/step/outcomes.ts';
import type { UnderWay } from '../../../../shared/domain/run/under-way.ts';
import type { RunSnapshot } from '../run-reports.port.ts';
import { cancelPreviewView } from './cancel-preview-view.ts';

const runId = '01938f1e-7c00-7000-8000-000000000001';
const at = new Date('2026-01-01T00:00:00Z');

type Feed = RunSnapshot['countries'][number];

function feedOf(country: string, fedUsers: number, totals: Partial<StepTotals>[], more: Partial<Feed> = {}): Feed {
  const counts = { heldOutUsers: 0, excludedUsers: 0, fedBatches: 1, childBatches: 0, estimate: null };
  const lines = totals.map((line, index) => ({ ...emptyTotals, step: index + 1, ...line }));
  return {
    country,
    fromStep: 1,
    segment: 'all',
    ...counts,
    fedUsers,
    complete: true,
    totals: lines,
    receipts: [],
    ...more,
  };
}

function previewOf(countries: Feed[], underWay: Partial<UnderWay> = {}, state: RunSnapshot['state'] = 'running') {
  const snapshot: RunSnapshot = {
    kind: 'live',
    stepModes: null,
    canary: null,
    runId,
    parentRunId: null,
    campaignId: runId,
    campaignName: 'Riders',
    revision: 1,
    state,
    stateReason: null,
    scheduledFor: at,
    startedAt: at,
    endedAt: null,
    asOf: at,
    ...untouchedRun,
    countries,
    chain: ['award-reward', 'send-message'].map((action) => ({ action, receipts: false })),
  };
  return cancelPreviewView(snapshot, { inFlight: [], ready: 0, waiting: 0, ...underWay }, 12_000);
}

describe('the preview of a cancellation', () => {
  it('counts by country and step the users who get nothing, who stop half-way, and who are being called', () => {
    const preview = previewOf(
      [
        feedOf('SG', 1000, [{ succeeded: 600, failed: 50 }, { succeeded: 400 }]),
        feedOf('VN', 500, [{ succeeded: 100 }], { complete: false, estimate: 900, excludedUsers: 100 }),
      ],
      {
        inFlight: [
          { step: 1, country: 'SG', batches: 1, users: 100 },
          { step: 2, country: 'SG', batches: 1, users: 100 },
        ],
      },
    );
    const [award, send] = ['award-reward', 'send-message'].map((action, index) => ({ step: index + 1, action }));
    expect(preview.countries).toEqual([
      {
        country: 'SG',
        notFedUsers: 0,
        steps: [
          { ...award, notStartedUsers: 250, halfWayUsers: 0, inFlightUsers: 100 },
          { ...send, notStartedUsers: 0, halfWayUsers: 100, inFlightUsers: 100 },
        ],
      },
      {
        country: 'VN',
        notFedUsers: 300,
        steps: [
          { ...award, notStartedUsers: 400, halfWayUsers: 0, inFlightUsers: 0 },
          { ...send, notStartedUsers: 0, halfWayUsers: 100, inFlightUsers: 0 },
        ],
      },
    ]);
    // Users who are in the first step when the run stops may or may not have received it. In the sums, they count as half-way.
    expect(preview).toMatchObject({ notStartedUsers: 650, halfWayUsers: 300, finishingUsers: 100, endedUsers: 450 });
  });

  it('counts users of a retry from the step in which they failed', () => {
    const preview = previewOf([feedOf('SG', 100, [], { fromStep: 2 }), feedOf('SG', 30, [{ succeeded: 10 }])]);
    expect(preview).toMatchObject({ notStartedUsers: 120, halfWayUsers: 10, endedUsers: 0 });
    expect(preview.countries).toMatchObject([
      { steps: [{ notStartedUsers: 20 }, { notStartedUsers: 100, halfWayUsers: 10 }] },
    ]);
  });

  it('has consistent numbers: each fed user counts once', () => {
    const { countries, endedUsers } = previewOf([feedOf('SG', 1000, [{ succeeded: 600, failed: 50 }, { unknown: 7 }])]);
    const lines = countries
      .flatMap(({ steps }) => steps)
      .reduce(
        (sum, { notStartedUsers, halfWayUsers, inFlightUsers }) => sum + notStartedUsers + halfWayUsers + inFlightUsers,
        0,
      );
    expect(lines + endedUsers).toBe(1000);
  });

  it('is zero for a run that has ended', () => {
    const ended = feedOf('SG', 10, [{ succeeded: 10 }, { succeeded: 10 }], { complete: false, estimate: 90 });
    expect(previewOf([ended], {}, 'expired')).toMatchObject({ notFedUsers: 0, notStartedUsers: 0, halfWayUsers: 0 });
  });
});
