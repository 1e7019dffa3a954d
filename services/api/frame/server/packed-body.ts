import type { FastifyReply, FastifyRequest } from 'fastify';
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

type ContentEncoding = 'br' | 'gzip';

/**
 * Response body that is the same for all callers. Each compressed form is created when it is first requested, and
 * cached.
 */
export interface PackedBody {
  body: Buffer;
  etag: string;
  encoded(encoding: ContentEncoding): Promise<Buffer>;
}

/** Brotli quality that is fast enough for the first response. Higher qualities take seconds. */
const brotliQuality = 7;
const compress = {
  br: (body: Buffer) =>
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
  gzip: (body: Buffer) => promisify(gzip)(body),
};

/**
 * Creates the body.
 * @param isText false for a body that compression does not make smaller; it is sent uncompressed
 */
export function packedBody(body: Buffer, isText = true): PackedBody {
  const kept = new Map<ContentEncoding, Promise<Buffer>>();
  return {
    body,
    etag: `"${hash('sha256', body, 'base64url').slice(0, 22)}"`,
    encoded: (encoding) => {
      if (!isText) return Promise.resolve(body);
      const made = kept.get(encoding) ?? compress[encoding](body);
      kept.set(encoding, made);
      return made;
    },
  };
}

/** Sends the body in an encoding that the request accepts, or 304 if the client has the body already. */
export async function sendPacked(request: FastifyRequest, reply: FastifyReply, packed: PackedBody): Promise<unknown> {
  reply.header('etag', packed.etag).header('vary', 'accept-encoding');
  if (request.headers['if-none-match'] === packed.etag) return reply.code(304).send();
  return reply.send(await bodyFor(request, reply, packed));
}

async function bodyFor({ headers }: FastifyRequest, reply: FastifyReply, packed: PackedBody): Promise<Buffer> {
  const accepted = headers['accept-encoding'] ?? '';
  const encoding = (['br', 'gzip'] satisfies ContentEncoding[]).find((each) =>
    new RegExp(`\\b${each}\\b`).test(accepted),
  );
  if (encoding === undefined) return packed.body;
  const body = await packed.encoded(encoding);
  if (body !== packed.body) reply.header('content-encoding', encoding);
  return body;
}
