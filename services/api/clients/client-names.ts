import { uuidOf } from '../../../shared/domain/ids/ids.ts';
import type { ClientReader } from '../../../shared/runtime/installation/client-reader.ts';
import { invalidRequest, quoted } from '../frame/http-problem.ts';

/** The client that an id or a name stands for, where either may be given. */
export function clientIdOf(clients: Pick<ClientReader, 'current'>, named: string, pointer: string): string {
  // Names never look like ids; a client that is gone may still have dead jobs.
  const clientId = uuidOf('client', named) ?? clients.current()?.byRef.get(named)?.clientId;
  if (clientId !== undefined) return clientId;
  throw invalidRequest([{ pointer, code: 'unknown-client', detail: `there is no client ${quoted(named)}` }]);
}
