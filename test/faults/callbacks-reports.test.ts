import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { z } from 'zod';
import { afterEach, describe, expect, it } from 'vitest';
import { createJobs } from '../../sdk/generated/sdk.gen.ts';
import { invitationIn, RefusedReport, report, type ReportInvitation } from '../../sdk/report.ts';
import { startCallbackTrial, type CallbackTrial } from './support/callback-trial.ts';
import { until } from './support/until.ts';

let trial: CallbackTrial;
let receiver: Server;
afterEach(async () => {
  receiver.close();
  await trial.end();
});

const jobs = 300;
const ends = () =>
  trial.database.rows<{ outcome: string; count: number }>(
    'select outcome, count(*)::int as count from ended_jobs group by outcome',
  );

/** Answers 202 and sends a report: for most jobs soon, for every tenth job never after its first call. */
function startReceiver(musterUrl: string) {
  const notified = { done: 0, late: 0 };
  const called = new Map<string, number>();
  receiver = createServer((request, response) => {
    const invitation = invitationIn(request.headers, musterUrl);
    const id = z.string().parse(request.headers['webhook-id']);
    const times = (called.get(id) ?? 0) + 1;
    called.set(id, times);
    request.resume().on('end', () => response.writeHead(202).end());
    const isSilent = times === 1 && called.size % 10 === 0;
    if (invitation && !isSilent) setTimeout(() => void tell(invitation), 500 + (called.size % 20) * 50);
  });

  async function tell(invitation: ReportInvitation): Promise<void> {
    try {
      await report(invitation, { outcome: 'done' }, { retries: 60 });
      notified.done++;
    } catch (error) {
      if (!(error instanceof RefusedReport)) throw error;
      notified.late++;
    }
  }
  return { notification: notified, called };
}

describe('row 35: jobs with asynchronous reports while dispatchers and schedulers are killed', () => {
  it('end once as their receiver reports, or are called again without a report', async () => {
    trial = await startCallbackTrial();
    const { notification, called } = startReceiver(trial.muster.cliEnvironment['MUSTER_API_URL'] ?? '');
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const { port } = z.object({ port: z.number() }).parse(receiver.address());
    await trial.addClient('printer', { reportWithinSeconds: 4, concurrency: 20 });
    const url = `http://127.0.0.1:${port}/print`;
    const body = { client: 'printer', jobs: Array.from({ length: jobs }, () => ({ url })) };
    expect((await createJobs({ client: trial.client, body })).data).toMatchObject({ accepted: jobs });
    for (const [round, name] of ['dispatcher-1', 'scheduler-1', 'dispatcher-2', 'scheduler-2'].entries()) {
      await until('more are reported', () => notification.done >= 40 * (round + 1));
      await trial.kill(name);
      await trial.restart(name);
    }
    await trial.awaitEnded(120_000);
    expect(await ends()).toEqual([{ outcome: 'called', count: jobs }]);
    expect(called.size).toBe(jobs);
    // Each job without a report after its first call is called a second time.
    expect([...called.values()].filter((times) => times > 1).length).toBeGreaterThanOrEqual(jobs / 10 - 1);
    expect(await trial.database.count('select 1 from job_claims')).toBe(0);
  });
});
