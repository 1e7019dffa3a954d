import type { FastifyRequest, FastifySchemaCompiler } from 'fastify';
import { Readable } from 'node:stream';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { settlement, settleRequest } from '../../../shared/contracts/runs/settlements.ts';
import type { Catalogue } from '../../../shared/contracts/endpoints/engine-config.ts';
import type { Settlements } from '../../../shared/ports/settlements.ts';
import type { CatalogueReader } from '../frame/catalogue-reader.ts';
import { pageShape } from '../frame/pages.contract.ts';
import { jsonAnswer } from '../frame/document/answer-shapes.ts';
import { checkShape } from '../frame/server/check-shape.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { HttpProblem, invalidRequest, notFound } from '../frame/http-problem.ts';
import { idempotentHeaders } from '../frame/server/idempotency.ts';
import type { NewSettlement, SettlementRecord, SettlementRequests } from './postgres/settlement-requests.ts';
import type { RunReports, RunSnapshot } from '../runs/run-reports.port.ts';
import { requireId } from '../frame/public-ids.ts';
import { listRefusals } from '../user-files/file-problems.ts';
import { fileQuery } from '../user-files/upload-query.ts';
import { readUploadEncoding, uploadBytes } from '../frame/streams/upload-bytes.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { settleFile } from './settle-file.ts';
import { settledUser } from '../user-files/settlement-lines.ts';
import { settlementView } from './settlement-view.ts';

export interface SettlementRoutesDeps {
  reports: RunReports;
  settlements: Settlements;
  settlementRequests: SettlementRequests;
  catalogue: CatalogueReader;
  clock: Clock;
}

const tags = ['runs'];
const byId = z.object({ id: z.string().describe('run_…') });
const listed = 100;

const settleQuery = z.object(fileQuery);

type SettleQuery = z.output<typeof settleQuery>;

type SettleRequest = z.infer<typeof settleRequest>;

export function settlementRoutes(server: HttpServer, deps: SettlementRoutesDeps): void {
  void server.register((scope: HttpServer, _options, done) => {
    settleRoute(scope, deps);
    done();
  });
  const { settlementRequests } = deps;

  server.route({
    method: 'GET',
    url: '/runs/:id/settlements',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'listSettlements',
      summary: 'List settlements of unknown outcomes, newest first',
      tags,
      params: byId,
      response: { 200: jsonAnswer('The last hundred settlements', pageShape(settlement)) },
    },
    handler: async ({ params: { id } }) => {
      await requireRun(id, deps);
      return { items: (await settlementRequests.list(requireId('run', id), listed)).map(settlementView), next: null };
    },
  });

  server.route({
    method: 'GET',
    url: '/runs/:id/settlements/:settlementId',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'getSettlement',
      summary: 'Show the progress of a settlement',
      tags,
      params: byId.extend({ settlementId: z.string().describe('set_…') }),
      response: { 200: jsonAnswer('The settlement', settlement) },
    },
    handler: async ({ params: { id, settlementId } }) => {
      const found = await settlementRequests.get(requireId('run', id), requireId('settlement', settlementId));
      if (!found) throw notFound('settlement', settlementId);
      return settlementView(found);
    },
  });
}

function settleRoute(server: HttpServer, deps: SettlementRoutesDeps): void {
  for (const type of ['text/csv', 'application/x-ndjson']) {
    if (!server.hasContentTypeParser(type)) {
      server.addContentTypeParser(type, (_request, payload, done) => done(null, payload));
    }
  }
  server.route({
    method: 'POST',
    url: '/runs/:id/settle',
    config: {
      role: 'manager',
      scope: 'campaign',
      audit: 'settled unknown users of a run',
      heavy: 'uploads',
      refusals: {
        ...listRefusals,
        'no-status-endpoint': 'no action has a status endpoint',
        'unknown-step': 'a step is not in the run',
        'unknown-user': 'a user is not in the run',
        'not-in-run': 'a step, an action or a country is not in the run',
      },
      uploads: {
        'text/csv':
          'One user per line: `userId,step,outcome[,code[,country]]`, or columns of these names in any order under a header',
        'application/x-ndjson': 'One user per line, as JSON with the same fields',
      },
    },
    schema: {
      operationId: 'settleRun',
      summary: 'Settle users with an unknown outcome, after the run has ended',
      description:
        'By hand: one user. By file: `text/csv` with `userId,step,outcome[,code[,country]]`, or with columns of these names under a ' +
        'header, or `application/x-ndjson` with the same fields, read as it comes; the answer lists the lines that settled no user. A file with more than 5 % unreadable lines settles no user ' +
        'unless `acceptRejected` is at least their number; in a file of more than 20,000 lines, lines settled before that point stay settled. By status: the status endpoints (class C) are called in ' +
        'the background; the answer (202) links to the progress. A user is settled once; a repeat changes nothing. A user who is ' +
        'settled as succeeded stays `skipped` in the later steps of this run.',
      tags,
      headers: idempotentHeaders,
      params: byId,
      querystring: settleQuery,
      body: settleRequest,
      response: {
        200: jsonAnswer('The settlement', settlement),
        202: jsonAnswer('The settlement continues in the background', settlement),
      },
    },
    validatorCompiler: settleValidator,
    handler: async (request, reply) => {
      const { id } = request.params;
      const snapshot = await requireRun(id, deps);
      const body: unknown = request.body;
      const record =
        body instanceof Readable
          ? await settleByFile(request, snapshot, { body, choice: request.query }, deps)
          : await settleWithoutFile(request, snapshot, request.body, deps);
      return reply.code(record.state === 'running' ? 202 : 200).send(settlementView(record));
    },
  });
}

/** Accepts a file without validation, because each line is validated when it is read. */
const settleValidator: FastifySchemaCompiler<unknown> =
  ({ httpPart }) =>
  (value: unknown) => {
    const shape = httpPart === 'body' ? settleRequest : httpPart === 'querystring' ? settleQuery : null;
    if (shape === null || value instanceof Readable) return { value };
    const checked = checkShape(shape, value);
    return checked.ok ? { value: checked.value } : { error: invalidRequest(checked.problems, checked.more) };
  };

async function settleWithoutFile(
  request: FastifyRequest,
  snapshot: RunSnapshot,
  body: SettleRequest,
  deps: SettlementRoutesDeps,
): Promise<SettlementRecord> {
  const { settlements, settlementRequests, catalogue } = deps;
  const { runId, chain } = snapshot;
  if (body.by === 'status') {
    // The refresh ensures that a status endpoint which was just added to the action type is known.
    await catalogue.refresh();
    requireStatusEndpoint(body, chain, catalogue.registered());
    const wanted = { step: body.step ?? null, country: body.country ?? null };
    return await begin(newSettlement(request, runId, 'status', wanted), deps);
  }
  const record = await begin(newSettlement(request, runId, 'hand'), deps);
  const { settlementId } = record;
  const [verdict] = await settlements.settle({ settlementId, runId }, [settledUser(body)]);
  const isRefused = verdict === 'not-unknown' || verdict === 'otherwise';
  const cause =
    verdict === 'otherwise'
      ? 'the user was settled with another outcome before'
      : 'no user with this id is unknown in this step';
  await settlementRequests.end(settlementId, {
    state: isRefused ? 'failed' : 'done',
    cause: isRefused ? cause : null,
    rejects: [],
  });
  if (isRefused) {
    throw new HttpProblem({
      status: 409,
      code: verdict === 'otherwise' ? 'settled-otherwise' : 'not-unknown',
      detail: cause,
    });
  }
  return await again(record, deps);
}

async function settleByFile(
  request: FastifyRequest,
  { runId }: RunSnapshot,
  { body, choice }: { body: Readable; choice: SettleQuery },
  deps: SettlementRoutesDeps,
): Promise<SettlementRecord> {
  const { settlements, settlementRequests, clock } = deps;
  const encoding = readUploadEncoding(request.headers['content-encoding']);
  const record = await begin(newSettlement(request, runId, 'file'), deps);
  const form = request.headers['content-type']?.startsWith('text/csv') ? 'csv' : 'ndjson';
  const bytes = uploadBytes(body, { encoding, clock });
  const { acceptRejected, ...columns } = choice;
  await settleFile(
    record,
    { bytes, form, acceptRejected, choice: columns },
    { settlements, requests: settlementRequests },
  );
  return await again(record, deps);
}

function newSettlement(
  { begun, apiKey }: FastifyRequest,
  runId: string,
  method: NewSettlement['method'],
  wanted: Pick<NewSettlement, 'step' | 'country'> = { step: null, country: null },
): NewSettlement {
  const requester = apiKey && { keyId: apiKey.key, name: apiKey.name };
  return { settlementId: begun?.createdId ?? uuidv7(), runId, method, apiKey: requester, ...wanted };
}

/**
 * Begins a settlement.
 * @throws {HttpProblem} 409 if the run has not ended, because outcomes are then still being written
 */
async function begin(wanted: NewSettlement, { settlementRequests }: SettlementRoutesDeps): Promise<SettlementRecord> {
  const begun = await settlementRequests.begin(wanted);
  if (begun) return begun;
  const detail = 'the run has not ended: until then, its outcomes may still become known';
  throw new HttpProblem({ status: 409, code: 'run-not-ended', detail });
}

async function again(
  record: SettlementRecord,
  { settlementRequests }: SettlementRoutesDeps,
): Promise<SettlementRecord> {
  return (await settlementRequests.get(record.runId, record.settlementId)) ?? record;
}

function requireStatusEndpoint(
  { step }: { step?: number | undefined },
  chain: RunSnapshot['chain'],
  actionTypes: Catalogue['actionTypes'],
): void {
  const steps = step === undefined ? chain : chain.slice(step - 1, step);
  if (steps.some(({ action }) => actionTypes[action]?.class === 'C')) return;
  const detail =
    'none of the requested actions is of class C, the only one with a status endpoint: settle by file or by hand';
  throw invalidRequest([{ pointer: '/by', code: 'no-status-endpoint', detail }]);
}

async function requireRun(id: string, { reports }: SettlementRoutesDeps): Promise<RunSnapshot> {
  const snapshot = await reports.snapshot(requireId('run', id));
  if (!snapshot) throw notFound('run', id);
  return snapshot;
}
