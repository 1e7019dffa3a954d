import { once } from 'node:events';
import { createServer } from 'node:http2';
import { createEndpointHandler, service, type Context } from '@restatedev/restate-sdk';
import { createHttpOrigin } from '../../../../shared/http-client/http-dispatch.ts';
import { createGate } from '../../gate.ts';
import { firstStepOf, nextStepOf, type StepJob, type StepOutcome } from '../step-job.ts';
import { createOutcomeCommit, type StepPeer, type StepServers, type WorkTerms } from '../step-peer.ts';

const host = '127.0.0.1';
const sendsAtOnce = 64;

let current: { terms: WorkTerms; commit: (outcome: StepOutcome) => Promise<void> } | undefined;

/** A handler for each batch. Restate repeats a step whose result is not in its journal. */
async function serveBatch(context: Context, first: StepJob): Promise<void> {
  for (let job: StepJob | undefined = first; job;) {
    const served = job;
    const { failed } = await context.run(`step ${served.step}`, () => serveStep(served));
    job = nextStepOf({ job: served, failed });
  }
}

/** Calls the endpoint and commits the step's outcome rows. Restate stores the returned ids in its journal. */
async function serveStep(job: StepJob): Promise<{ failed: readonly string[] }> {
  if (!current) throw new Error('an invocation began before the worker was told to work');
  const outcome = await current.terms.serve(job);
  await current.commit(outcome);
  return { failed: outcome.failed };
}

/**
 * Opens Restate: a handler for each batch, whose two steps are durable. Steps write the same outcome rows as those of
 * other peers, in groups, because a journal is kept for a day and is no report.
 */
export async function openStepPeer({ restate }: StepServers): Promise<StepPeer> {
  const ingress = createHttpOrigin({
    origin: `http://${host}:${restate.ingressPort}`,
    connections: sendsAtOnce,
    timeoutMs: 60_000,
    maxAnswerBytes: 1_000_000,
  });
  const gate = createGate(sendsAtOnce);
  let turn = '';
  let listening: Promise<unknown> | undefined;

  function listen(): Promise<unknown> {
    const batches = service({ name: 'batches', handlers: { serve: serveBatch } });
    const server = createServer(createEndpointHandler({ services: [batches], logger: () => undefined }));
    server.listen(restate.workerPort, host);
    return once(server, 'listening');
  }

  async function send(job: StepJob): Promise<void> {
    const outcome = await ingress.send({
      method: 'POST',
      path: '/batches/serve/send',
      headers: ['content-type', 'application/json', 'idempotency-key', `${turn}-${job.batch}`],
      body: Buffer.from(JSON.stringify(job)),
    });
    if (outcome.kind !== 'answered' || outcome.status >= 300) throw new Error(JSON.stringify(outcome));
  }

  return await Promise.resolve({
    prepare: async () => {
      await (listening ??= listen());
      const answer = await fetch(`http://${host}:${restate.adminPort}/deployments`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ uri: `http://${host}:${restate.workerPort}`, force: true }),
      });
      if (!answer.ok) throw new Error(`Restate refused the worker: ${await answer.text()}`);
    },
    empty: () => {
      turn = String(Date.now());
      return Promise.resolve();
    },
    enqueue: async (jobs) => {
      await Promise.all(jobs.map((job) => gate(() => send(firstStepOf(job)))));
    },
    work: async (terms: WorkTerms) => {
      current = { terms, commit: createOutcomeCommit(terms) };
      await (listening ??= listen());
      return () => Promise.resolve();
    },
  });
}
