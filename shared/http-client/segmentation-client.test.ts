import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { engineConfig } from '../contracts/endpoints/engine-config.ts';
import type { PageRequest } from '../ports/segmentation.ts';
import { createEgressGuard } from '../runtime/egress/address-guard.ts';
import { readInstallationEgress } from '../runtime/configuration/installation-egress.ts';
import { systemClock } from '../runtime/system-clock.ts';
import { createHostNames } from './host-names.ts';
import { createSegmentation } from './segmentation-client.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const never = new AbortController().signal;
const firstPage: PageRequest = { segment: 'riders', country: 'SG', snapshot: 's1', after: null, limit: 1000 };

describe('the segmentation client', () => {
  let server: Server;
  let answer: Answer;
  let seen: IncomingMessage[];
  let segmentation: ReturnType<typeof createSegmentation>;

  beforeEach(async () => {
    seen = [];
    answer = json(200, { users: [], next: null });
    server = createServer((request, response) => {
      seen.push(request);
      answer(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    segmentation = clientOf(`http://127.0.0.1:${portOf(server)}/base/`);
  });

  afterEach(async () => {
    await segmentation.close();
    server.closeAllConnections();
    server.close();
  });

  const kindOfPage = async () => {
    const page = await segmentation.page(firstPage, never);
    return page.ok ? 'ok' : page.failure.kind;
  };

  it('returns the description of a segment in a country', async () => {
    const description = { id: 'riders', country: 'SG', estimate: null, snapshot: 's1' };
    answer = json(200, { ...description, unknownField: 1 });
    expect(await segmentation.describe('riders', 'SG', never)).toEqual({ ok: true, value: description });
    expect(seen[0]?.url).toBe('/base/v1/segments/riders?country=SG');
  });

  it('lists segments with the fields that the service returns', async () => {
    const page = { segments: [{ id: 'riders', estimate: null, more: 1 }], next: 'x' };
    answer = json(200, page);
    const requested = { country: 'SG', search: 'a b', after: 'é/', limit: 20 };
    const value = { ...page, segments: [{ id: 'riders', estimate: null }] };
    expect(await segmentation.list(requested, never)).toEqual({ ok: true, value });
    expect(seen[0]?.url).toBe('/base/v1/segments?country=SG&search=a%20b&after=%C3%A9%2F&limit=20');
    await segmentation.list({ after: null, limit: 20 }, never);
    expect(seen[1]?.url).toBe('/base/v1/segments?limit=20');
  });

  it.each([404, 501])('reports a segment list as not found if the service answers with %i', async (status) => {
    answer = json(status, {});
    const listed = await segmentation.list({ after: null, limit: 20 }, never);
    expect(listed).toMatchObject({ ok: false, failure: { kind: 'not-found' } });
  });

  it('reports a list with an invalid body or a failed service as unavailable', async () => {
    for (const [status, body] of [
      [200, { segments: [{}], next: null }],
      [500, {}],
    ] as const) {
      answer = json(status, body);
      const listed = await segmentation.list({ after: null, limit: 20 }, never);
      expect(listed).toMatchObject({ ok: false, failure: { kind: 'unavailable' } });
    }
  });

  it('does not call a forbidden address', async () => {
    const metadata = clientOf('http://169.254.169.254/');
    const forbidden = { ok: false, failure: { kind: 'unavailable', cause: 'address that may not be called' } };
    expect(await metadata.describe('riders', 'SG', never)).toMatchObject(forbidden);
    expect(await metadata.page(firstPage, never)).toMatchObject(forbidden);
    await metadata.close();
  });

  it('requests the first page without a cursor', async () => {
    await segmentation.page(firstPage, never);
    expect(seen[0]?.url).toBe('/base/v1/segments/riders/users?country=SG&snapshot=s1&limit=1000');
  });

  it.each(['a b', 'a+b', '50%', 'a&b=c', '"quoted"', 'back\\slash', 'ünïcode 🛵', '../../x', '#?', ','])(
    'transmits the id %j unchanged',
    async (id) => {
      await segmentation.page({ ...firstPage, segment: id, snapshot: id, after: id }, never);
      const url = new URL(seen[0]?.url ?? '', 'http://localhost');
      expect([url.searchParams.get('after'), url.searchParams.get('snapshot')]).toEqual([id, id]);
      expect(decodeURIComponent(url.pathname)).toBe(`/base/v1/segments/${id}/users`);
    },
  );

  it.each(['.', '..'])('encodes the segment %j so that it is no relative path', async (segment) => {
    await segmentation.page({ ...firstPage, segment }, never);
    const [path] = seen[0]?.url?.split('?') ?? [];
    expect(path).toBe(`/base/v1/segments/${segment.replaceAll('.', '%2E')}/users`);
  });

  it('refuses an id that cannot be encoded, without a call', async () => {
    const page = await segmentation.page({ ...firstPage, after: 'lone \ud800' }, never);
    expect(page).toMatchObject({ ok: false, failure: { kind: 'refused' } });
    expect(seen).toEqual([]);
  });

  it('sends the configured secret and accepts only uncompressed answers', async () => {
    await segmentation.page(firstPage, never);
    expect(seen[0]?.headers).toMatchObject({ authorization: 'Bearer s3cret', 'accept-encoding': 'identity' });
  });

  it.each([
    [404, 'not-found'],
    [410, 'gone'],
    [408, 'unavailable'],
    [429, 'unavailable'],
    [500, 'unavailable'],
    [503, 'unavailable'],
    [400, 'refused'],
    [401, 'refused'],
    [302, 'refused'],
  ])('reports HTTP %i as %s', async (status, kind) => {
    answer = json(status, { users: ['u1'], next: null });
    expect(await kindOfPage()).toBe(kind);
  });

  it('does not follow a redirect', async () => {
    answer = (_request, response) => response.writeHead(307, { location: '/elsewhere' }).end();
    await segmentation.page(firstPage, never);
    expect(seen).toHaveLength(1);
  });

  it('returns Retry-After of the service', async () => {
    answer = (_request, response) => response.writeHead(429, { 'retry-after': '7' }).end();
    const page = await segmentation.page(firstPage, never);
    expect(page).toMatchObject({ ok: false, failure: { cause: 'HTTP 429', retryAfterMs: 7000 } });
  });

  it('returns the message of a refusal without control characters, at most 500 characters of it', async () => {
    answer = json(422, {
      code: 'segment-refused',
      message: `segments.riders.query\u0000 has no "user_id"${'!'.repeat(600)}`,
    });
    const page = await segmentation.page(firstPage, never);
    const cause = page.ok ? '' : page.failure.cause;
    expect(cause).toMatch(/^HTTP 422: segments\.riders\.query has no "user_id"!+$/);
    expect(cause).toHaveLength('HTTP 422: '.length + 500);
  });

  it.each([{}, { message: 7 }, { message: '' }, null, 'text'])(
    'reports the status alone for a refusal with the body %j',
    async (body) => {
      answer = json(422, body);
      expect(await segmentation.page(firstPage, never)).toMatchObject({ failure: { cause: 'HTTP 422' } });
    },
  );

  it.each(['', 'garbage', '{"users":["u1"', '{"users":[1],"next":null}', '{"users":["u1"]}', 'null', '[]'])(
    'reports the body %j as unavailable',
    async (body) => {
      answer = (_request, response) => response.writeHead(200).end(body);
      expect(await kindOfPage()).toBe('unavailable');
    },
  );

  it('reports an answer that is not in time as unavailable', async () => {
    answer = () => undefined;
    expect(await segmentation.page(firstPage, never)).toMatchObject({ ok: false, failure: { kind: 'unavailable' } });
  });

  it('stops waiting for an answer when it is aborted', async () => {
    answer = () => undefined;
    const stopping = new AbortController();
    const patient = clientOf(`http://127.0.0.1:${portOf(server)}`, 120_000);
    const queried = patient.page(firstPage, stopping.signal);
    stopping.abort();
    expect(await queried).toMatchObject({ ok: false, failure: { kind: 'unavailable' } });
    await patient.close();
  });

  it('reports half a body, a reset connection and a refused connection as unavailable', async () => {
    answer = (_request, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"users":');
      response.destroy();
    };
    expect(await kindOfPage()).toBe('unavailable');
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    expect(await kindOfPage()).toBe('unavailable');
  });
});

function json(status: number, body: unknown): Answer {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
}

const names = createHostNames({ clock: systemClock });

function clientOf(url: string, timeoutMs = 1000) {
  const config = engineConfig.parse({
    countries: ['SG'],
    segmentation: { url, authorizationEnv: 'SEGMENTS_AUTHORIZATION', timeoutMs },
    actionTypes: {},
  });
  const environment = { SEGMENTS_AUTHORIZATION: 'Bearer s3cret' };
  const egress = { guard: createEgressGuard([readInstallationEgress({})]), names };
  return createSegmentation({ config, environment, egress, connections: { pages: 128, descriptions: 64 } });
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}
