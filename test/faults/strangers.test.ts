import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { faultControls, type FaultControl } from '../mutations/fault-controls.ts';
import { startInstallation, type Installation } from '../e2e/installation.ts';
import { answersTo } from './support/answers-to.ts';
import { startBareServer, type BareServer } from './support/bare-server.ts';
import { publishFigures } from './support/figures.ts';
import { undisturbed } from './support/neighbours.ts';
import { sendStrangers } from './support/strangers.ts';
import { treeWithout } from './support/tree-without.ts';

/** Number of action types with signed receipts. The API tries an invalid signature with the secret of each type. */
const receiptTypes = 24;
const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
/** The first rounds are more expensive, because code is compiled then. */
const rounds = 12;
const perRound = 20;
const mebibyte = Buffer.alloc(1024 * 1024, '[{"a":');
const json = { 'content-type': 'application/json' };
/** Returns headers with a signature of the right form and time, made with an unknown secret. */
const signed = () => ({
  ...json,
  'webhook-id': 'msg_1',
  'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
  'webhook-signature': `v1,${Buffer.alloc(32, 9).toString('base64')}`,
});

/** Row 65. `services/api/access/strangers.integration.test.ts` proves that bodies of such requests are not awaited. */
describe('row 65: senders without a valid key', () => {
  let muster: Installation;
  let bare: BareServer;
  let tree: string | undefined;
  beforeEach(async () => {
    bare = await startBareServer();
  });
  afterEach(async () => {
    await bare.end();
    await muster.stop();
    if (tree !== undefined) await rm(tree, { recursive: true });
    tree = undefined;
  });

  async function begin(without?: FaultControl): Promise<void> {
    tree = without && (await treeWithout(without));
    muster = await startInstallation({
      workers: 0,
      countries: ['SG'],
      sandbox: {},
      engine: { RECEIPTS_SECRET: secret },
      configure: (config) => {
        const [first] = Object.values(config.actionTypes);
        if (!first) throw new Error('the configuration names no action type');
        const withReceipts = { ...first, receipts: true as const, receiptsSecretEnv: 'RECEIPTS_SECRET' };
        const types = Array.from({ length: receiptTypes }, (_, place) => [`message-${place}`, withReceipts] as const);
        return { ...config, actionTypes: { ...config.actionTypes, ...Object.fromEntries(types) } };
      },
      ...(tree !== undefined && { root: tree }),
    });
  }

  const apiUrl = () => muster.cliEnvironment['MUSTER_API_URL'] ?? '';
  type Send = (base: string) => Promise<Response>;

  /**
   * Returns the CPU time of the API for such a request, minus that of a bare server for the same request, in
   * milliseconds. Takes the cheapest of several rounds each, because other processes make rounds more expensive. Also
   * returns the status.
   */
  async function costOf(send: Send): Promise<{ ms: number; status: number }> {
    const api = { base: apiUrl(), pid: muster.services.get('api')?.pid ?? 0, least: Infinity };
    const other = { base: bare.url, pid: bare.pid, least: Infinity };
    for (let round = 0; round < rounds; round++) {
      for (const server of [api, other]) {
        const before = cpuMs(server.pid);
        for (let sent = 0; sent < perRound; sent++) await (await send(server.base)).text();
        server.least = Math.min(server.least, (cpuMs(server.pid) - before) / perRound);
      }
    }
    return { ms: api.least - other.least, status: (await send(api.base)).status };
  }

  const post = (path: string, body: Buffer, headers: () => Record<string, string>) => (base: string) =>
    fetch(`${base}${path}`, { method: 'POST', body, headers: headers() });
  const get = (path: string, key?: string) => (base: string) =>
    fetch(`${base}${path}`, { headers: key === undefined ? {} : { authorization: `Bearer ${key}` } });
  const signedNonsense = (bytes: number) => post('/v1/receipts', mebibyte.subarray(0, bytes), signed);
  /** Upper bound on the bytes that the API reads of a request whose signature may belong to any type. */
  const mostBytes = Math.floor((512 * 1024) / receiptTypes);

  it('cost at most 5 ms of CPU a request, whatever they send', async () => {
    await begin();
    const ofLogIn = () => ({ ...json, origin: apiUrl() });
    const costs = {
      'a wrong key': await costOf(get('/v1/campaigns', 'no-such-key-at-all')),
      'a mistyped key': await costOf(get('/v1/campaigns', 'mk_abcdefghijkl_0123456789')),
      'no key, 1 MiB': await costOf(post('/v1/campaigns', mebibyte, () => json)),
      'jobs, 1 MiB': await costOf(post('/v1/jobs/bulk', mebibyte, () => json)),
      'a log-in, 1 MiB': await costOf(post('/v1/session', mebibyte, ofLogIn)),
      'a log-in, deep': await costOf(post('/v1/session', Buffer.from('['.repeat(2000)), ofLogIn)),
      'receipts, signed, 1 MiB': await costOf(signedNonsense(mebibyte.length)),
      'receipts, signed, as long as may be': await costOf(signedNonsense(mostBytes)),
      'a path that is none, 1 MiB': await costOf(post('/nowhere', mebibyte, () => json)),
      'the document': await costOf(get('/openapi.json')),
    };
    const ms = Object.fromEntries(Object.entries(costs).map(([what, cost]) => [`${what}, ms`, cost.ms]));
    publishMeasured('cost of a request without a good key', ms);
    // All requests are refused, even the one for the document, because API_DOCS is not public.
    expect(Object.entries(costs).filter(([, { status }]) => status < 400)).toEqual([]);
    expect(Object.entries(ms).filter(([, each]) => each > 5)).toEqual([]);
  });

  it('cost more if signed bodies have no size limit (control)', async () => {
    await begin(faultControls.signedBytesAreBounded);
    const { status, ms } = await costOf(signedNonsense(mebibyte.length - 1));
    publishMeasured('cost of what is signed, without a bound', { ms });
    expect(status).toBe(401);
    expect(ms).toBeGreaterThan(5);
  });

  it('do not block callers with a valid key, whose response times stay the same', async () => {
    await begin();
    const key = muster.cliEnvironment['MUSTER_API_KEY'] ?? '';
    const user = () => get('/v1/campaigns', key)(apiUrl());
    await answersTo(user, 200);
    const alone = await answersTo(user, 1000);
    const strangers = await sendStrangers(apiUrl());
    const beside = await answersTo(user, 1000);
    const theirs = await strangers.leave();

    const sent = Object.values(theirs).reduce((sum, each) => sum + each, 0);
    publishMeasured('users beside strangers', {
      'p99 alone, ms': alone.p99 * 1000,
      'p99 beside, ms': beside.p99 * 1000,
      strangers: sent,
    });
    expect(beside.statuses).toEqual([200]);
    expect(Object.keys(theirs).filter((status) => Number(status) > 0 && Number(status) < 400)).toEqual([]);
    expect(theirs['401']).toBeGreaterThan(0);
    expect(beside.p99).toBeLessThanOrEqual(undisturbed(alone.p99));
  });
});

/** Returns the CPU time of a process so far in milliseconds, in steps of ten. */
function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) * 10;
}

/** Publishes measurements without a judgement, because this scenario has no run. */
function publishMeasured(scenario: string, measured: Record<string, number>): void {
  const none = { batches: 0, users: 0, lost: 0, doubled: 0, duplicatesSuppressed: 0, unknown: 0, violations: 0 };
  const rates = {
    redeliveriesPer1000: 0,
    recoverySeconds: null,
    usersPerSecond: { before: null, during: null, after: null },
  };
  publishFigures({ rows: '65', scenario, faults: {}, ...none, ...rates, measured });
}
