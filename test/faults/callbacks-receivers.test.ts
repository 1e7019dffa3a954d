import { afterEach, describe, expect, it } from 'vitest';
import { faultControls, type FaultControl } from '../mutations/fault-controls.ts';
import { startDnsServer } from '../support/dns-server.ts';
import { startSilentAddress } from '../support/silent-address.ts';
import { startCallbackTrial, type CallbackTrial } from './support/callback-trial.ts';
import { storedEvidence } from './support/callback-witness.ts';
import { startIdleCloser, type IdleCloser } from './support/idle-closer.ts';
import { until } from './support/until.ts';

const count = 200;
const enoughLost = 20;
/** The host `oneSilent` has the silent address and, after it, that of the receiver. */
const [closingAddress, silentAddress, receiverAddress] = ['127.0.0.2', '127.0.0.3', '127.0.0.1'];
const oneSilent = 'one-silent.test';

describe('row 71: jobs without retries', () => {
  let trial: CallbackTrial;
  let closer: IdleCloser;
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  });

  async function begin(without?: FaultControl): Promise<void> {
    const names = await startDnsServer(({ type }) => {
      return { addresses: type === 'A' ? [silentAddress, receiverAddress] : [] };
    });
    ends.push(() => names.close());
    trial = await startCallbackTrial({
      engine: { DISPATCHER_DNS_SERVERS: names.address },
      ...(without && { without }),
    });
    ends.push(() => trial.end());
    const { port } = trial.receiver;
    closer = await startIdleCloser({ host: closingAddress, port, to: port, keptMs: 0 });
    ends.push(() => closer.close());
    const silent = await startSilentAddress(silentAddress, port);
    ends.push(() => silent.close());
    for (const name of ['of-closing', 'of-silent'])
      await trial.addClient(name, { retry: { strategy: 'none' }, timeoutMs: 3000, sideline: {} });
  }

  const schedule = (client: string, host: string) =>
    trial.schedule({ client, count, host: () => host, spreadMs: 4000 });
  const scheduleAll = () =>
    Promise.all([schedule('of-closing', closingAddress), schedule('of-silent', oneSilent)] as const);

  it('are received once if idle connections close during a write, or one of two addresses is silent', async () => {
    await begin();
    const over = trial.injections.begin('idle connections are closed, one address is silent', 'receiver');
    await scheduleAll();
    await trial.awaitEnded();
    over();
    expect(closer.lost()).toBeGreaterThan(enoughLost);
    const scenario = 'idle connections are closed, one address is silent, callbacks';
    const measured = { 'requests lost': closer.lost() };
    expect(await trial.judgeCallbacks({ rows: '71', scenario, measured })).toEqual([]);
    expect(trial.receiver.calls()).toHaveLength(2 * count);
  });

  it('die without being received if closed connections are not retried and a second address is not tried (control)', async () => {
    await begin(faultControls.connectionsAreCareful);
    const jobs = await scheduleAll();
    await until('jobs of both clients are dead', async () => {
      const { ended } = await storedEvidence(trial.database);
      const dead = new Set(ended.filter(({ outcome }) => outcome === 'dead').map(({ jobId }) => jobId));
      for (const { jobId } of trial.receiver.calls()) dead.delete(jobId);
      return jobs.every((ids) => ids.some((id) => dead.has(id)));
    });
  });
});
