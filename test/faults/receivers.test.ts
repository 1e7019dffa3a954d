import { afterEach, describe, expect, it } from 'vitest';
import { faultControls, type FaultControl } from '../mutations/fault-controls.ts';
import { findFreePorts } from '../../shared/infrastructure/free-ports.ts';
import type { EngineConfigFile } from '../e2e/engine-config.ts';
import { startDnsServer } from '../support/dns-server.ts';
import { startSilentAddress } from '../support/silent-address.ts';
import { startIdleCloser, type IdleCloser } from './support/idle-closer.ts';
import { patientCalls, startTrial, type Trial } from './support/trial.ts';
import { until } from './support/until.ts';

const segment = 'lapsed-riders';
const timeoutMs = 5000;
const pages = 5;
const users = 100 * pages;
/** Pages arrive so slowly that connections are idle between calls for longer than a server keeps them. */
const pageEveryMs = 1200;
/**
 * In classes C and D, no connection is reused that was idle for more than 0.5 s; the rest is a margin for a busy
 * machine.
 */
const keptForDumbMs = 1000;

/** The host `oneSilent` has the silent address and, after it, that of the sandbox. */
const [silentAddress, sandboxAddress] = ['127.0.0.3', '127.0.0.1'];
const oneSilent = 'one-silent.test';

/** Preloaded into processes for names of the test. */
const ownNameServer = `--import ${new URL('support/own-name-server.ts', import.meta.url).href}`;

const ofClassD = { contract: 'D', action: 'award-again', service: 'rewards' } as const;
const types = [
  { contract: 'A', action: 'award-reward', service: 'rewards' },
  { contract: 'B', action: 'send-message', service: 'messages' },
  { contract: 'C', action: 'award-points', service: 'points' },
  ofClassD,
] as const;

describe('row 71: a campaign with servers that close idle connections during a write, at one of two addresses', () => {
  let trial: Trial;
  let closers: { ofAny: IdleCloser; ofDumb: IdleCloser };
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  });

  /** Adds an action type of each class, whose endpoint has the URL that `urlOf` returns. */
  function classes(config: EngineConfigFile, urlOf: (url: string, contract: string) => string): EngineConfigFile {
    const { segmentation } = config;
    const sandbox = new URL(segmentation.url).origin;
    const statusUrl = urlOf(`${sandbox}/points/v1/status`, 'status');
    const typeOf = ({ contract, action, service }: (typeof types)[number]) => {
      const before = config.actionTypes[action] ?? config.actionTypes['award-reward'];
      if (!before) throw new Error(`the configuration has no ${action}`);
      const url = urlOf(`${sandbox}/${service}/v1/batches`, contract);
      const ofC = contract === 'C' ? { statusUrl, appliesLateSeconds: timeoutMs / 1000 } : {};
      return { ...before, ...ofC, url, class: contract, timeoutMs };
    };
    return {
      ...config,
      segmentation: { ...segmentation, url: urlOf(segmentation.url, 'pages') },
      actionTypes: Object.fromEntries(types.map((type) => [type.action, typeOf(type)])),
    };
  }

  async function begin(without?: FaultControl): Promise<void> {
    const [ofAnyPort = 0, ofDumbPort = 0] = await findFreePorts(2);
    const names = await startDnsServer(({ type }) => {
      return { addresses: type === 'A' ? [silentAddress, sandboxAddress] : [] };
    });
    ends.push(() => names.close());
    const urlOf = (url: string, contract: string) => {
      const behind = new URL(url);
      behind.hostname = oneSilent;
      behind.port = String(contract === 'C' || contract === 'D' ? ofDumbPort : ofAnyPort);
      return behind.href;
    };
    trial = await startTrial({
      workers: 1,
      countries: ['SG'],
      sandbox: {
        SANDBOX_SEGMENTS: `${segment}=${users}`,
        SANDBOX_COUNTRIES: 'SG=1',
        SANDBOX_POINTS_MEMORY: 'outcomes',
      },
      engine: { ...patientCalls, NODE_OPTIONS: ownNameServer, OWN_NAME_SERVER: names.address },
      configure: (config) => classes(config, urlOf),
      ...(without && { without }),
    });
    ends.push(() => trial.end());
    const to = Number(new URL(trial.muster.sandboxUrl).port);
    const closerAt = async (port: number, keptMs: number) => {
      const closer = await startIdleCloser({ host: sandboxAddress, port, to, keptMs });
      ends.push(() => closer.close());
      const silent = await startSilentAddress(silentAddress, port);
      ends.push(() => silent.close());
      return closer;
    };
    closers = { ofAny: await closerAt(ofAnyPort, 0), ofDumb: await closerAt(ofDumbPort, keptForDumbMs) };
    await trial.switchFaults({ segmentation: [{ name: 'slow pages', of: 'pages', latencyMs: pageEveryMs }] });
  }

  const start = ({ contract, action }: (typeof types)[number]) =>
    trial.muster.api.run({ name: contract, countries: ['SG'], segment, chain: [{ action, params: {} }] });

  /** Returns the attempt numbers of all received calls. */
  async function attemptsOf(runId: string): Promise<string[]> {
    const received = (await trial.ledger()).of(runId, 1).keys.values();
    return [...received].map(({ attempts }) => attempts.join());
  }

  /** Runs of all classes at once. */
  async function runAll() {
    return await Promise.all(
      types.map(async (type) => {
        const runId = await start(type);
        await trial.awaitEnd(runId);
        const { steps } = await trial.muster.api.report(runId);
        return { contract: type.contract, runId, steps, attempts: await attemptsOf(runId) };
      }),
    );
  }

  it('is served completely at its first attempts, and each call is received once', async () => {
    await begin();
    const over = trial.injections.begin('idle connections are closed, one address is silent', 'endpoints, segments');
    const runs = await runAll();
    over();
    expect(closers.ofAny.lost()).toBeGreaterThan(pages);
    expect(closers.ofDumb.lost()).toBe(0);
    const whole = { steps: [{ succeeded: users, unknown: 0 }], attempts: Array.from({ length: pages }, () => '1') };
    expect(runs).toMatchObject(types.map(({ contract }) => ({ contract, ...whole })));
    for (const { contract, runId } of runs) {
      const scenario = `idle connections are closed, one address is silent, class ${contract}`;
      expect(await trial.judge(runId, { rows: '71', scenario, segment })).toEqual([]);
    }
  });

  it('has unknown users in class D if idle connections are reused (control)', async () => {
    await begin(faultControls.idleConnectionsAreClosed);
    const runId = await start(ofClassD);
    await until('users are unknown', async () => {
      const { steps } = await trial.muster.api.report(runId);
      return (steps[0]?.unknown ?? 0) > 0;
    });
    expect(closers.ofDumb.lost()).toBeGreaterThan(0);
  });
});
