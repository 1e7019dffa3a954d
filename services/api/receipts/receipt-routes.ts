import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  receiptsAnswer,
  receiptsRequest,
  type ReceiptProblem,
  type ReceiptsAnswer,
} from '../../../shared/contracts/endpoints/receipts.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Meter } from '../../../shared/ports/meter.ts';
import { createAuthenticate, type AuthenticateDeps } from '../access/authenticate.ts';
import type { CallerCounter } from '../access/callers/caller-counter.ts';
import { countCalls } from '../access/callers/count-calls.ts';
import { jsonAnswer } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { HttpProblem } from '../frame/http-problem.ts';
import { apiMetrics } from '../frame/metrics.ts';
import { notTakingPart } from '../frame/server/not-taking-part.ts';
import type { Receipt, ReceiptStore, ReceiptVerdict } from './postgres/receipt-store.ts';
import { createReceiptIntake } from './receipt-intake.ts';
import { checkRole } from '../access/route-roles.ts';
import { checkScope, type CheckScopeDeps } from '../access/scopes.ts';
import {
  headProblem,
  isSigned,
  mostSignedBytes,
  signerOf,
  type ReceiptSigner,
  type ReceiptSigners,
} from './receipt-signers.ts';
import { readReceipts, receiptDetails, type ReadReceipt } from './read-receipts.ts';

export interface ReceiptRoutesDeps extends CheckScopeDeps {
  receipts: ReceiptStore;
  signers: ReceiptSigners;
  apiKeys: AuthenticateDeps['apiKeys'];
  authMethods?: AuthenticateDeps['authMethods'];
  callerCounter?: Pick<CallerCounter, 'refused' | 'called'> | undefined;
  onRefusedKey?: (() => void) | undefined;
  refusal?: (() => Error | undefined) | undefined;
  clock: Clock;
  meter?: Meter | undefined;
}

const receiptsQuery = z.object({
  actionType: z
    .string()
    .max(64)
    .optional()
    .describe('Action type whose secret signs the request; it allows larger requests'),
});

const ndjson = 'application/x-ndjson';

/**
 * Registers the route to which providers send receipts. It serves thousands of requests a second from any sender that
 * has the secret of the action type. Its requests therefore have no audit entry, no stored answer for an idempotency
 * key, and no rate limit except the limit of waiting receipts.
 */
export function receiptRoutes(server: HttpServer, deps: ReceiptRoutesDeps): void {
  const { receipts, signers, apiKeys, authMethods, callerCounter, clock, onRefusedKey, meter } = deps;
  // Cookies are ignored, because receipts are never sent from a page.
  const authentication = createAuthenticate({ apiKeys, authMethods, callerCounter, clock, onRefused: onRefusedKey });
  const intake = createReceiptIntake({ book: receipts });
  const counter = meter?.counter(apiMetrics.receipts);
  const counts = new Map(
    (['accepted', 'unknown', 'refused'] as const).map((outcome) => [outcome, counter?.of({ outcome })]),
  );

  countCalls(server, { callerCounter });
  server.removeAllContentTypeParsers();
  // The body is kept as bytes, because the signature covers the bytes that were received.
  for (const type of ['application/json', ndjson]) {
    server.addContentTypeParser(type, { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  }
  server.addHook('onRequest', async (request, reply) => {
    if (deps.refusal?.()) throw notTakingPart();
    reply.header('cache-control', 'no-store');
    if (isSigned(request.headers)) {
      const among = signersFor(request);
      const problem = headProblem(among, request.headers, clock);
      if (problem !== null) throw badSignature(problem);
      requireShort(Number(request.headers['content-length'] ?? 0), among);
      return;
    }
    ({ apiKey: request.apiKey } = await authentication.callerOf(request));
    checkRole(request);
    await checkScope(request, deps);
  });

  server.route({
    method: 'POST',
    url: '/receipts',
    config: { role: 'operator', scope: 'installation' },
    schema: {
      operationId: 'addReceipts',
      summary: 'Report deliveries of accepted users',
      description:
        'For the provider of an asynchronous action type, signed with its secret (Standard Webhooks) or with an API key: at most 1,000 ' +
        `receipts, as \`{"receipts": […]}\` or as lines of \`${ndjson}\`. The answer is sent when they are stored. The newest \`at\` of a user ` +
        'counts, in any order, and repeats change nothing: a request can be repeated as often as you like.',
      tags: ['receipts'],
      querystring: receiptsQuery,
      body: receiptsRequest,
      response: { 202: jsonAnswer('The receipts are stored', receiptsAnswer) },
    },
    // The handler validates each receipt on its own.
    validatorCompiler: () => (value: unknown) => ({ value }),
    handler: async (request, reply) => {
      const body = z.instanceof(Buffer).catch(Buffer.alloc(0)).parse(request.body);
      const actionType = isSigned(request.headers) ? signerIn(request, body) : null;
      const type = request.headers['content-type']?.startsWith(ndjson) ? 'ndjson' : 'json';
      const read = readReceipts(body, type, { actionType, now: clock.now() });
      const verdicts = await intake.add(read.filter(isReceipt));
      const answer = answerOf(read, verdicts);
      for (const [outcome, count] of counts) count?.add(answer[outcome]);
      return reply.code(202).send(answer);
    },
  });

  function signersFor({ query }: Pick<FastifyRequest, 'query'>): readonly ReceiptSigner[] {
    const { actionType } = receiptsQuery.catch({}).parse(query);
    const all = signers.current();
    return actionType === undefined ? all : all.filter((signer) => signer.actionType === actionType);
  }

  function signerIn(request: FastifyRequest, body: Buffer): string {
    const among = signersFor(request);
    requireShort(body.length, among);
    const signer = signerOf(among, request.headers, body, clock);
    if ('actionType' in signer) return signer.actionType;
    throw badSignature(signer.problem);
  }

  function badSignature(detail: string): HttpProblem {
    onRefusedKey?.();
    return new HttpProblem({ status: 401, code: 'bad-signature', detail });
  }
}

/** Refuses a body that is too long, because one HMAC is computed for each secret before the sender is authenticated. */
function requireShort(bytes: number, among: readonly ReceiptSigner[]): void {
  const most = mostSignedBytes(among);
  if (bytes <= most) return;
  const detail = `these are ${bytes} bytes, and a signed request that ${among.length} secrets may have signed has at most ${most}: send fewer receipts, or name the action type as ?actionType=…`;
  throw new HttpProblem({ status: 413, code: 'too-many-bytes', detail });
}

function isReceipt(read: ReadReceipt): read is Receipt {
  return 'of' in read;
}

function answerOf(read: readonly ReadReceipt[], verdicts: readonly ReceiptVerdict[]): ReceiptsAnswer {
  const found: ReceiptProblem[] = [];
  let written = 0;
  for (const [index, receipt] of read.entries()) {
    if (!isReceipt(receipt)) found.push({ index, ...receipt });
    else {
      const verdict = verdicts[written++];
      if (verdict !== undefined && verdict !== 'accepted')
        found.push({ index, code: verdict, detail: receiptDetails[verdict] });
    }
  }
  const unknown = found.filter(({ code }) => code in receiptDetails).length;
  return { accepted: read.length - found.length, unknown, refused: found.length - unknown, problems: found };
}
