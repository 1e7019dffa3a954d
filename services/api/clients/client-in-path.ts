import { clientOfRef, type ClientReader } from '../../../shared/runtime/installation/client-reader.ts';
import { notFound } from '../frame/http-problem.ts';

/**
 * Returns the id of the client in the path of a request. The scope check has used the same client. Clients of
 * notifications are not found.
 */
export async function clientInPath(ref: string, clients: Pick<ClientReader, 'current' | 'refresh'>): Promise<string> {
  const client = await clientOfRef(ref, clients);
  if (!client) throw notFound('client', ref);
  return client.clientId;
}
