import type { FastifyRequest } from 'fastify';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import type { Asker } from '../../../shared/domain/run/asker.ts';

export function askerOf({ apiKey }: FastifyRequest): Asker {
  if (!apiKey) throw new Error('a run cannot be changed without a key');
  return { keyId: publicId('apiKey', apiKey.key), keyName: apiKey.name };
}
