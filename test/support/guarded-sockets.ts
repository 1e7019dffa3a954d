import { createGuardedSockets } from '../../shared/http-client/guarded-sockets.ts';
import type { GuardedSockets } from '../../shared/runtime/egress/guarded-sockets.ts';
import { readInstallationEgress } from '../../shared/runtime/configuration/installation-egress.ts';
import { createEgressGuard } from '../../shared/runtime/egress/address-guard.ts';

/**
 * Creates connections under the usual egress rules.
 * @param addressesOf addresses of a name at each look-up
 */
export function guardedSockets(addressesOf = (_name: string): readonly string[] => ['127.0.0.1']): GuardedSockets {
  const names = {
    addressesOf: ({ hostname }: { hostname: string }) => Promise.resolve(addressesOf(hostname)),
    close: () => undefined,
  };
  return createGuardedSockets({ guard: createEgressGuard([readInstallationEgress({})]), names }, 'a test');
}
