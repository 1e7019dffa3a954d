import type { FastifyRequest } from 'fastify';
import { publicId } from '../../../../shared/domain/ids/ids.ts';

/** Who asks, as a run's history shows it. */
export interface Asker {
  keyId: string;
  keyName: string;
}

export function askerOf({ apiKey }: FastifyRequest): Asker {
  if (!apiKey) throw new Error('nobody may change a run without a key');
  return { keyId: publicId('apiKey', apiKey.key), keyName: apiKey.name };
}
