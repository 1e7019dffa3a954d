import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import {
  retryAnswer,
  retryRequest,
  type RetryAnswer,
  type RetryRequest,
} from '../../../../shared/contracts/runs/retries.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { isTerminal } from '../../../../shared/domain/run/run-states.ts';
import type { FieldProblem } from '../../../../shared/contracts/field-problems.ts';
import { jsonAnswer } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import { HttpProblem, invalidRequest, notFound, quoted } from '../../frame/http-problem.ts';
import { idempotentHeaders } from '../../frame/server/idempotency.ts';
import { requesterOf } from '../../access/requester.ts';
import type { Retries, RetryFilter } from '../retries.port.ts';
import type { RunReports, RunSnapshot } from '../run-reports.port.ts';
import { requireId } from '../../frame/public-ids.ts';

export interface RetryRoutesDeps {
  reports: Pick<RunReports, 'snapshot'>;
  retries: Retries;
}

export function retryRoutes(server: HttpServer, { reports, retries }: RetryRoutesDeps): void {
  server.route({
    method: 'POST',
    url: '/runs/:id/retry-failed',
    config: {
      role: 'manager',
      scope: 'campaign',
      audit: 'retried the failed users of a run',
      refusals: { 'not-in-run': 'a step, an action or a country is not in the run' },
    },
    schema: {
      operationId: 'retryFailedUsers',
      summary: 'Retry the failed users of an ended run in a child run',
      description:
        'Each user begins with the failed step. A user counts once, with the newest failure; users with an unknown outcome and ' +
        'unsendable ids are not included. With `preview`, nothing is created.',
      tags: ['runs'],
      headers: idempotentHeaders,
      params: z.object({ id: z.string().describe('run_…') }),
      body: retryRequest.nullish(),
      response: {
        200: jsonAnswer('Users who would be retried', retryAnswer),
        201: jsonAnswer('The created run', retryAnswer),
      },
    },
    handler: async (request, reply) => {
      const { body, begun } = request;
      const { id } = request.params;
      const wanted = retryRequest.parse(body ?? {});
      request.isPreview = wanted.preview;
      const requestedRunId = requireId('run', id);
      const snapshot = await reports.snapshot(requestedRunId);
      if (!snapshot) throw notFound('run', id);
      if (snapshot.kind === 'test') throw notOfTests(id);
      if (snapshot.kind === 'dry-run') throw notOfDryRuns(id);
      requireEnded(snapshot);
      const filter = filterOf(wanted, snapshot);
      const groups = await retries.groups(requestedRunId, filter);
      const users = groups.reduce((sum, group) => sum + group.users, 0);
      const named = groups.map((group) => ({ ...group, action: snapshot.chain[group.step - 1]?.action ?? '' }));
      const answer = { parentRunId: publicId('run', snapshot.parentRunId ?? requestedRunId), users, groups: named };
      if (wanted.preview) return reply.code(200).send(viewOf(answer, null));

      if (users === 0) throw nothingToRetry(id);
      const runId = begun?.createdId ?? uuidv7();
      const { deadlineSeconds = null } = wanted;
      const verdict = await retries.create({
        runId,
        parentRunId: requestedRunId,
        filter,
        deadlineSeconds,
        asker: requesterOf(request),
      });
      if (verdict.kind === 'running') throw stillRunning(verdict.runId);
      if (verdict.kind === 'not-ended') throw notEnded(snapshot);
      const view = viewOf(answer, publicId('run', runId));
      request.auditDetail = { users, created: publicId('run', runId) };
      return reply
        .code(201)
        .header('location', view.links.self ?? '')
        .send(view);
    },
  });
}

function viewOf(answer: Pick<RetryAnswer, 'parentRunId' | 'users' | 'groups'>, runId: string | null): RetryAnswer {
  const self = runId === null ? null : `/v1/runs/${runId}`;
  return { preview: runId === null, ...answer, runId, links: { self } };
}

function requireEnded(snapshot: RunSnapshot): void {
  if (!isTerminal(snapshot.state)) throw notEnded(snapshot);
  if (snapshot.failuresKept) return;
  const detail = 'the failed users of this run are no longer stored';
  throw new HttpProblem({ status: 409, code: 'failures-not-kept', detail });
}

/**
 * Returns the filter with steps instead of names of actions. Reports all unknown steps, actions and countries together.
 */
function filterOf(wanted: RetryRequest, { chain, countries }: RunSnapshot): RetryFilter {
  const actions = chain.map(({ action }) => action);
  const known = new Set(countries.map(({ country }) => country));
  const errors = [
    ...unknownIn('steps', wanted.steps, (step) => step <= chain.length, `the chain has ${chain.length} steps`),
    ...unknownIn(
      'actions',
      wanted.actions,
      (action) => actions.includes(action),
      `the chain has ${actions.join(', ')}`,
    ),
    ...unknownIn('countries', wanted.countries, (each) => known.has(each), `the run has ${[...known].join(', ')}`),
  ];
  if (errors.length > 0) throw invalidRequest(errors);
  const steps = chain.map((_, index) => index + 1).filter((step) => isWanted(step, actions[step - 1] ?? '', wanted));
  return {
    steps: wanted.steps || wanted.actions ? steps : null,
    countries: wanted.countries ?? null,
    reasons: wanted.reasons ?? null,
  };
}

function isWanted(step: number, action: string, { steps, actions }: RetryRequest): boolean {
  return (steps?.includes(step) ?? true) && (actions?.includes(action) ?? true);
}

function unknownIn<Value>(
  field: string,
  values: readonly Value[] | undefined,
  isKnown: (value: Value) => boolean,
  known: string,
): FieldProblem[] {
  return (values ?? []).flatMap((value, index) =>
    isKnown(value)
      ? []
      : [
          {
            pointer: `/${field}/${index}`,
            code: 'not-in-run',
            detail: `${quoted(value)} is not in this run: ${known}`,
          },
        ],
  );
}

function notOfTests(id: string): HttpProblem {
  const detail = `${id} was a test: send another test to its users`;
  return new HttpProblem({ status: 409, code: 'run-is-a-test', detail });
}

function notOfDryRuns(id: string): HttpProblem {
  return new HttpProblem({ status: 409, code: 'run-is-dry', detail: `${id} was a dry run: no user was called` });
}

function notEnded({ state }: RunSnapshot): HttpProblem {
  const detail = `the run is ${state}; failed users can be retried when it and all its retry runs have ended`;
  return new HttpProblem({ status: 409, code: 'run-not-ended', detail });
}

function stillRunning(runId: string): HttpProblem {
  const detail = `${publicId('run', runId)} retries failed users of this run and has not ended`;
  return new HttpProblem({ status: 409, code: 'retry-running', detail });
}

function nothingToRetry(id: string): HttpProblem {
  const detail = `no failed user of ${id} is left to retry`;
  return new HttpProblem({ status: 409, code: 'nothing-to-retry', detail });
}
