import { describe, expect, it } from 'vitest';
import { clientIdOf, jobIdOf } from '../../test/support/conformance/job-subject.ts';
import { dispatcherSubject } from '../../test/support/dispatcher-subject.ts';
import { passTime } from '../../test/support/pass-time.ts';

describe('a dispatcher of a client with fewer call slots than dispatchers', () => {
  it('calls a job as soon as it has a slot', async () => {
    const { clock, calls, clients, dispatcherOf, offer, stop } = dispatcherSubject();
    const limits = { clientId: clientIdOf(1), revision: 1, concurrency: 1, timeoutMs: 1000, egress: [] };
    clients.set(clientIdOf(1), { limits });
    const nodes = { dispatchers: () => Promise.resolve(['a', 'b']) };
    const dispatcher = dispatcherOf('a', clock, { nodes });
    const started = dispatcher.start();
    await passTime(clock, 10_000);
    await started;
    await offer({ jobId: jobIdOf(1) });
    await passTime(clock, 50);
    expect(calls).toHaveLength(1);
    await stop(dispatcher);
  });
});
