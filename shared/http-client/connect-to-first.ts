import { isIPv4, Socket } from 'node:net';
import type { buildConnector } from 'undici';

/** Time for which an address may be silent before the next one is tried beside it (RFC 8305, section 5). */
const nextAddressMs = 250;

/** Connects to one address, and returns its socket at once. */
export type ConnectTo = (address: string, callback: buildConnector.Callback) => unknown;

/**
 * Tries addresses in their order until one is connected, and closes the attempts at all others. The next address is
 * tried when one fails, or is silent for 250 ms. An address that has accepted a connection is not silent: a server that
 * is slow with TLS would get a second handshake from each caller. If all addresses fail, the last error is reported.
 */
export function connectToFirst(addresses: readonly string[], connectTo: ConnectTo, callback: buildConnector.Callback) {
  const left = [...addresses];
  const sockets: Socket[] = [];
  let running = 0;
  let isSettled = false;
  let silence: NodeJS.Timeout | undefined;

  function tryNext(): void {
    clearTimeout(silence);
    const address = left.shift();
    if (address === undefined) return;
    running++;
    if (left.length > 0) silence = setTimeout(tryNext, nextAddressMs);
    const socket = connectTo(address, settle);
    if (!(socket instanceof Socket)) return;
    sockets.push(socket);
    socket.once('connect', () => clearTimeout(silence));
  }

  function settle(...result: Parameters<buildConnector.Callback>): void {
    const [error, connected] = result;
    running--;
    if (isSettled) return;
    if (error !== null && (left.length > 0 || running > 0)) {
      tryNext();
      return;
    }
    isSettled = true;
    clearTimeout(silence);
    for (const socket of sockets) if (socket !== connected) socket.destroy();
    callback(...result);
  }

  tryNext();
}

/** Sorts addresses so that IPv4 and IPv6 take turns, and one family that is silent leaves room for the other. */
export function inTurn(addresses: readonly string[]): string[] {
  const [first = ''] = addresses;
  const same = addresses.filter((address) => isIPv4(address) === isIPv4(first));
  const other = addresses.filter((address) => isIPv4(address) !== isIPv4(first));
  return Array.from({ length: addresses.length }, (_, index) => [same[index], other[index]])
    .flat()
    .filter((address) => address !== undefined);
}
