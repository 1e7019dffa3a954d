import type { FastifyRequest } from 'fastify';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import type { Requester } from '../../../shared/domain/run/requester.ts';

export function requesterOf({ apiKey }: FastifyRequest): Requester {
  if (!apiKey) throw new Error('a run cannot be changed without a key');
  return { keyId: publicId('apiKey', apiKey.key), keyName: apiKey.name };
}
