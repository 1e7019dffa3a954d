import { expect, test } from 'vitest';
import type { ClientLoad } from '../../sdk/generated/types.gen.ts';
import { createPaint } from '../show/paint.ts';
import { renderLoad } from './render-load.ts';

type Lately = ClientLoad['lastTenMinutes'];

const lately = (calls: number, p95AtMostMs: number | null): Lately => {
  return { calls, callsPerSecond: calls / 600, p95AtMostMs };
};
const limits = { maxCallsPerSecond: 200, underWay: 3, maxUnderWay: 24 };

function endpointOf(endpoint: string, lastTenMinutes: Lately): ClientLoad['endpoints'][number] {
  return {
    endpoint,
    due: 0,
    lagMs: 0,
    sidelined: 0,
    circuitOpenSince: null,
    callsPerSecond: 38,
    ...limits,
    lastTenMinutes,
  };
}

const load: ClientLoad = {
  clientId: 'cli_1',
  asOf: '2026-12-01T09:00:00.000Z',
  behindAfterMs: 300_000,
  due: 0,
  lagMs: 0,
  sidelined: 0,
  callsPerSecond: 42,
  ...limits,
  estimated: false,
  lastTenMinutes: lately(26_400, 250),
  dispatchers: [],
  endpoints: [
    endpointOf('receipts', lately(26_400, 2500)),
    endpointOf('slow', lately(3, null)),
    endpointOf('unused', lately(0, null)),
  ],
};

test('renderLoad prints call rates over one and ten minutes, and latencies by endpoint', () => {
  const lines = renderLoad(load, { paint: createPaint(false), width: 120 }).split('\n');
  expect(lines[0]).toContain('42 of 200 calls/s over the last minute, 44 over ten, 3 of 24 at once');
  const lineOf = (name: string) => lines.find((line) => line.includes(name));
  expect(lineOf('receipts')).toMatch(/ {2}<= 2,500 ms$/);
  expect(lineOf('slow')).toMatch(/ {2}> 60,000 ms$/);
  expect(lineOf('unused')).not.toContain('ms');
});
