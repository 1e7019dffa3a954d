import { clientOfRef, type ClientReader } from '../../../shared/runtime/installation/client-reader.ts';
import { notFound } from '../frame/http-problem.ts';

/** Returns the client that a path names, the same whose scope was checked; never that of a notification. */
export async function clientInPath(ref: string, clients: Pick<ClientReader, 'current' | 'refresh'>): Promise<string> {
  const client = await clientOfRef(ref, clients);
  if (!client) throw notFound('client', ref);
  return client.clientId;
}
