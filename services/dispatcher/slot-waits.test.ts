import { describe, expect, it } from 'vitest';
import { clientIdOf, jobIdOf } from '../../test/support/conformance/job-subject.ts';
import { dispatcherSubject, leaseMs } from '../../test/support/dispatcher-subject.ts';
import { createMemoryCallLedger } from '../../test/support/memory/call-ledger.ts';
import { passTime } from '../../test/support/pass-time.ts';
import type { CallWork } from './ports/call-ledger.ts';

describe('a claimed job whose call may take longer than the usual lease', () => {
  it('is called if it gets a slot at the end of its waiting time', async () => {
    const { clock, tables, clients, calls, dispatcherOf, offer, stop } = dispatcherSubject();
    const clientId = clientIdOf(1);
    const limitTo = (concurrency: number) =>
      clients.set(clientId, { limits: { clientId, revision: 1, concurrency, timeoutMs: leaseMs, egress: [] } });
    const real = createMemoryCallLedger({ tables, owner: 'a', leaseMs });
    const flush = async (work: CallWork) => {
      const flushed = await real.flush(work);
      if (work.claims.length > 0) limitTo(0);
      return flushed;
    };
    limitTo(1);
    const dispatcher = dispatcherOf('a', clock, { ledger: { flush } });
    await dispatcher.start();
    await offer({ jobId: jobIdOf(1) });
    await passTime(clock, 1800);
    expect([calls.length, dispatcher.levels().waiting]).toEqual([0, 1]);
    limitTo(1);
    await passTime(clock, 150);
    expect([calls.length, dispatcher.levels().waiting]).toEqual([1, 0]);
    await stop(dispatcher);
  });
});
