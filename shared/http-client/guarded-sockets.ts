import { isIP, Socket, type LookupFunction, type SocketConnectOpts } from 'node:net';
import type { GuardedSockets, Place } from '../runtime/egress/guarded-sockets.ts';
import { ForbiddenAddressError } from './guarded-connector.ts';
import type { Egress } from './guarded-origin.ts';

/** Longest look-up in milliseconds, well before the time-outs of connecting. */
const lookupMs = 3000;

/** @param caller name whose look-ups are limited separately from those of other callers */
export function createGuardedSockets({ guard, names }: Egress, caller: string): GuardedSockets {
  function connect(socket: Socket, { hostname: host, port }: Place): Socket {
    const mayConnect = (address: string) => guard.mayConnect({ hostname: host.toLowerCase(), port, address });
    // Node does not look up a literal IP address, so the guarded look-up below would not see it.
    if (isIP(host) !== 0 && !mayConnect(host)) return socket.destroy(forbidden());
    const lookup: LookupFunction = (hostname, options, callback) => {
      names.addressesOf({ caller, hostname, withinMs: lookupMs }).then(
        (addresses) => {
          const allowed = addresses.filter(mayConnect).map((address) => ({ address, family: isIP(address) }));
          const [first] = allowed;
          if (!first) callback(forbidden(), []);
          else if (options.all === true) callback(null, allowed);
          else callback(null, first.address, first.family);
        },
        (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), []),
      );
    };
    return connectBy(socket)({ host, port, lookup });
  }

  return {
    open: (place) => connect(new Socket(), place),
    unconnected: () => {
      const socket = new Socket();
      return Object.assign(socket, {
        connect: (at: number | string, host?: string) =>
          host === undefined
            ? connectBy(socket)({ path: String(at) })
            : connect(socket, { hostname: host, port: Number(at) }),
      });
    },
  };
}

/** Returns the original `connect` of a socket, whose property `connect` is replaced in `unconnected`. */
function connectBy(socket: Socket): (options: SocketConnectOpts) => Socket {
  return Socket.prototype.connect.bind(socket);
}

function forbidden(): ForbiddenAddressError {
  return new ForbiddenAddressError('its address is none that may be called');
}
