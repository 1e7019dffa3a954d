import { uuidOf } from '../../../shared/domain/ids/ids.ts';
import type { ClientReader } from '../../../shared/runtime/installation/client-reader.ts';
import { notFound } from '../frame/http-problem.ts';

/**
 * The client that a path names by id or by name. An unknown one is looked up once more: it may have been made a
 * moment ago.
 */
export async function clientInPath(ref: string, clients: Pick<ClientReader, 'current' | 'refresh'>): Promise<string> {
  const clientId = uuidOf('client', ref) ?? clients.current()?.byRef.get(ref)?.clientId;
  const found = clientId ?? (await clients.refresh()).byRef.get(ref)?.clientId;
  if (found === undefined) throw notFound('client', ref);
  return found;
}
