import { uuidOf } from '../../../shared/domain/ids/ids.ts';
import { clientOfRef, type ClientReader } from '../../../shared/runtime/installation/client-reader.ts';
import { notFound } from '../frame/http-problem.ts';

/** The client that a path names by id or by name. */
export async function clientInPath(ref: string, clients: Pick<ClientReader, 'current' | 'refresh'>): Promise<string> {
  const clientId = uuidOf('client', ref) ?? (await clientOfRef(ref, clients))?.clientId;
  if (clientId === undefined) throw notFound('client', ref);
  return clientId;
}
