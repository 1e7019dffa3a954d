import { isIP } from 'node:net';
import type { SecureContext } from 'node:tls';
import { buildConnector } from 'undici';
import { placeOf, type EgressGuard } from '../runtime/egress/address-guard.ts';
import { connectToFirst, inTurn } from './connect-to-first.ts';

/** Upper bound on the addresses of one name that are tried for a connection. */
const maxAddresses = 3;

export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';
  readonly code = 'MUSTER_FORBIDDEN_ADDRESS';
}

export interface GuardedConnectorDeps {
  guard: Pick<EgressGuard, 'mayConnect'>;
  timeoutMs: number;
  secureContext?: SecureContext | undefined;
  resolve: (hostname: string) => Promise<readonly string[]>;
}

/**
 * Creates a connector that resolves the name itself, checks the addresses, and connects to a checked address. A name
 * server therefore cannot give one answer for the check and another for the connection. A look-up hook does not
 * suffice, because undici does not call it for literal addresses (nodejs/undici#2019).
 *
 * Addresses are tried one after the other. The address of the last connection is tried first, as long as the name still
 * has it and it may be called.
 */
export function guardedConnector(deps: GuardedConnectorDeps): buildConnector.connector {
  const { guard, timeoutMs, secureContext, resolve } = deps;
  // undici returns the socket, though its types omit it.
  const connect: (...terms: Parameters<buildConnector.connector>) => unknown = buildConnector({
    timeout: timeoutMs,
    allowH2: false,
    ...(secureContext && { secureContext }),
  });
  let lastConnected: string | undefined;

  async function allowedAddresses(hostname: string, port: number): Promise<string[]> {
    const addresses = isIP(hostname) === 0 ? await resolve(hostname) : [hostname];
    const allowed = inTurn(addresses.filter((address) => guard.mayConnect({ hostname, port, address })));
    if (allowed.length === 0) throw new ForbiddenAddressError('its address is none that may be called');
    const isLast = (address: string) => address === lastConnected;
    return [...allowed.filter(isLast), ...allowed.filter((address) => !isLast(address))].slice(0, maxAddresses);
  }

  return (options, callback) => {
    const { hostname, port } = placeOf(options);
    // Certificates are issued for the name, whatever its address.
    const servername = isIP(hostname) === 0 ? hostname : '';

    function connectTo(address: string, settle: buildConnector.Callback): unknown {
      const terms = { ...options, hostname: address, ...(servername === '' ? {} : { servername }) };
      return connect(terms, (...result) => {
        if (result[0] === null) lastConnected = address;
        settle(...result);
      });
    }

    allowedAddresses(hostname, port).then(
      (addresses) => connectToFirst(addresses, connectTo, callback),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
}
