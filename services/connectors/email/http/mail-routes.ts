import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { previewCall } from '../../../../shared/contracts/endpoints/message-previews.ts';
import { countryPattern } from '../../../../shared/domain/endpoint/shard.ts';
import { bodyOf, idOf, problem } from '../../actions/http/answers.ts';
import { SourceError } from '../../databases/source.port.ts';
import type { MailEvent } from '../bounces/mail-event.ts';
import { readEvents } from '../bounces/read-events.ts';
import { readReport } from '../bounces/read-report.ts';
import type { MailDesk } from '../mail-desk.ts';
import { donePage, pageHeaders, questionPage, type UnsubscribeTexts } from '../unsubscribe-page.ts';

const wantedPreview = previewCall.extend({
  country: z.string().regex(countryPattern, 'has to be two capital letters'),
  user: z.string().min(1).max(1024),
});

const linkPath = z.object({ token: z.string() });

/** Adds the routes of e-mail actions. @param desks mail desks by the id of their action */
export function addMailRoutes(server: FastifyInstance, desks: ReadonlyMap<string, MailDesk>): void {
  const deskOf = (request: FastifyRequest) => desks.get(idOf(request));

  server.post('/v1/actions/:id/preview', { config: { name: 'preview', isSigned: true } }, async (request, reply) => {
    const desk = deskOf(request);
    if (!desk) return noSuchAction(request, reply);
    const { action, user, country } = wantedPreview.parse(parseJson(bodyOf(request)));
    const composed = await desk.preview({ user, country, params: action.params }).catch(sourceErrorOf);
    if (composed instanceof SourceError)
      return problem(reply, composed.kind === 'refused' ? 501 : 503, 'look-up-failed', composed.message);
    return composed.ok ? reply.send(composed.mail) : problem(reply, 422, composed.code, composed.message);
  });

  server.post('/v1/actions/:id/bounces', { config: { name: 'bounces' } }, async (request, reply) => {
    const desk = deskOf(request);
    if (!desk) return noSuchAction(request, reply);
    const events = await eventsIn(request);
    if (!events) return problem(reply, 415, 'unknown-type', 'has to be message/rfc822, multipart/report or JSON');
    return reply.code(202).send(await desk.record(events));
  });

  server.get('/v1/actions/:id/unsubscribe/:token', { config: { name: 'link', isPublic: true } }, (request, reply) => {
    const texts = deskOf(request)?.textsFor(tokenOf(request));
    return sendPage(reply, texts && questionPage(texts));
  });

  // Called by the button of the unsubscribe page, or by a mail program (RFC 8058).
  server.post(
    '/v1/actions/:id/unsubscribe/:token',
    { config: { name: 'unsubscribe', isPublic: true }, bodyLimit: 10_000 },
    async (request, reply) => {
      const desk = deskOf(request);
      const token = tokenOf(request);
      const texts: UnsubscribeTexts | undefined = desk?.textsFor(token);
      const isStored = (await desk?.unsubscribe(token)) === true;
      return sendPage(reply, isStored && texts ? donePage(texts) : undefined);
    },
  );
}

function sourceErrorOf(error: unknown): SourceError {
  if (error instanceof SourceError) return error;
  throw error;
}

function tokenOf(request: FastifyRequest): string {
  return linkPath.parse(request.params).token;
}

function sendPage(reply: FastifyReply, page: string | undefined): FastifyReply {
  if (page === undefined) return problem(reply, 404, 'not-found', 'there is nothing here');
  return reply.headers(pageHeaders).send(page);
}

function noSuchAction(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return problem(reply, 404, 'no-such-action', `there is no action with e-mails ${JSON.stringify(idOf(request))}`);
}

/** Reads the events in a request; undefined if the body's content type is unknown. */
async function eventsIn(request: FastifyRequest): Promise<MailEvent[] | undefined> {
  const type = request.headers['content-type'] ?? '';
  const body = bodyOf(request);
  if (/^application\/json\b/i.test(type)) return readEvents(parseJson(body));
  const isWhole = /^message\/rfc822\b/i.test(type);
  if (!isWhole && !/^multipart\/report\b/i.test(type)) return undefined;
  const head = isWhole ? '' : `MIME-Version: 1.0\r\nContent-Type: ${type}\r\n\r\n`;
  const event = await readReport(Buffer.concat([Buffer.from(head), body]));
  return event ? [event] : [];
}

/** Returns the parsed body; undefined for invalid JSON, which the schema check then refuses. */
function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
