import { setTimeout as wait } from 'node:timers/promises';
import { startInstallation } from '../installation.ts';
import { median, publishTables, rounded } from '../results.ts';
import { withServers, type Servers } from '../servers.ts';
import { startSwitchedEndpoint, type SwitchedEndpoint } from './switched-endpoint.ts';

/**
 * Measures an outage of an endpoint with three workers. The figures are the calls while the endpoint is down, the
 * effect on a neighbour, and the time after the recovery until the endpoint is called at its full rate again.
 */
const question = 'Calls at an endpoint that is down, and the time to its full rate after it is back; three workers';
const workers = [40, 40, 40];
/** Slots of the endpoint: 10 calls of 20 ms. With so few, the speed of the machine does not limit the rate. */
const slots = 10;
const steadyMs = 10_000;
const settleMs = 5000;
const windowMs = 1000;
const recoveredShare = 0.9;
const patienceMs = 120_000;

interface Round {
  before: number;
  knocksPerSecond: number;
  neighbourRatio: number;
  backSeconds: number;
}

export async function benchmarkBreaker({ rounds, quick }: { rounds: number; quick: boolean }): Promise<void> {
  const outageMs = quick ? 20_000 : 60_000;
  await withServers({}, async (servers) => {
    const measured: Round[] = [];
    for (let round = 1; round <= rounds; round++) {
      measured.push(await measure(servers, outageMs));
      console.error(`round ${round}: ${JSON.stringify(measured.at(-1))}`);
    }
    const mid = (of: (round: Round) => number) => rounded(median(measured.map(of)));
    const row = {
      'outage, s': outageMs / 1000,
      'calls/s before': mid(({ before }) => before),
      'calls/s while it is down': mid(({ knocksPerSecond }) => knocksPerSecond),
      "the neighbour's calls/s, of before": mid(({ neighbourRatio }) => neighbourRatio),
      'to 90 % of before, s': mid(({ backSeconds }) => backSeconds),
    };
    publishTables('breaker', question, [{ title: 'Breaker', rows: [row] }]);
  });
}

async function measure({ infrastructure, stub }: Servers, outageMs: number): Promise<Round> {
  const endpoint = await startSwitchedEndpoint();
  const installation = await startInstallation({
    infrastructure,
    countries: ['SG', 'ID'],
    partitionsPerShard: 6,
    segmentationUrl: stub.url,
    actionTypes: { 'award-reward': { url: endpoint.url, answerForm: 'compact', concurrency: slots } },
    workerSlots: workers,
  });
  try {
    const chain = [{ action: 'award-reward', params: { rewardId: 'ride-5' } }];
    for (const country of ['SG', 'ID']) {
      await installation.api.start({ name: country, countries: [country], segment: '30000000', chain });
    }
    await wait(2 * steadyMs);
    const [before, neighbour] = ['SG', 'ID'].map((country) => rateOf(endpoint, country, steadyMs));
    if (!before || !neighbour) throw new Error('nothing is called, so nothing can be measured');
    endpoint.setDown('SG', true);
    await wait(settleMs + outageMs);
    const knocksPerSecond = rateOf(endpoint, 'SG', outageMs);
    const neighbourRatio = rateOf(endpoint, 'ID', outageMs) / neighbour;
    endpoint.setDown('SG', false);
    return { before, knocksPerSecond, neighbourRatio, backSeconds: await secondsToRecovery(endpoint, before) };
  } finally {
    await installation.stop();
    await endpoint.stop();
  }
}

/** Returns the calls per second in the last `overMs` milliseconds. */
function rateOf(endpoint: SwitchedEndpoint, country: string, overMs: number): number {
  const nowMs = performance.now();
  return (endpoint.callsBetween(country, nowMs - overMs, nowMs) * 1000) / overMs;
}

async function secondsToRecovery(endpoint: SwitchedEndpoint, before: number): Promise<number> {
  const beganMs = performance.now();
  while (rateOf(endpoint, 'SG', windowMs) < recoveredShare * before) {
    if (performance.now() - beganMs > patienceMs) return patienceMs / 1000;
    await wait(100);
  }
  return (performance.now() - beganMs) / 1000;
}
