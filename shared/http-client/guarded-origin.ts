import type { SecureContext } from 'node:tls';
import type { EgressGuard } from '../runtime/egress/address-guard.ts';
import { guardedConnector } from './guarded-connector.ts';
import type { HostNames } from './host-names.ts';
import { createHttpOrigin, type HttpOrigin, type HttpOriginOptions } from './http-dispatch.ts';

/** A look-up ends well before its call would: otherwise the call would have failed, and not the look-up. */
const maxLookupMs = 3000;

/** What every call of a service goes by. */
export interface Egress {
  guard: Pick<EgressGuard, 'mayConnect'>;
  names: HostNames;
}

export interface GuardedOriginOptions extends Omit<HttpOriginOptions, 'connect'> {
  egress: Egress;
  /** A client's own, with its certificate. */
  secureContext?: SecureContext | undefined;
  /** Whose names are looked up together, apart from those of others. */
  caller: string;
}

/** Calls to one origin, at an address that was judged when it was connected to. */
export function createGuardedOrigin({ egress, caller, secureContext, ...options }: GuardedOriginOptions): HttpOrigin {
  const { guard, names } = egress;
  const { timeoutMs } = options;
  const withinMs = Math.min(maxLookupMs, timeoutMs / 2);
  const connect = guardedConnector({
    guard,
    secureContext,
    timeoutMs: Math.min(timeoutMs, 10_000),
    resolve: (hostname) => names.addressesOf({ caller, hostname, withinMs }),
  });
  return createHttpOrigin({ ...options, connect });
}
