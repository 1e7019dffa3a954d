import { isIPv4, Socket } from 'node:net';
import type { buildConnector } from 'undici';

/** Milliseconds after which the next address is tried beside one that does not answer (RFC 8305, section 5). */
const nextAddressMs = 250;

export type ConnectTo = (address: string, callback: buildConnector.Callback) => unknown;

/**
 * Tries addresses in their order until one is connected, and closes all other attempts. The next address is tried when
 * an attempt fails, or is silent for 250 ms. An address that has accepted a connection is not silent: otherwise a
 * server with slow TLS would get a second handshake from each caller. If all addresses fail, the last error is
 * reported.
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

/** Sorts addresses so that IPv4 and IPv6 alternate: a silent family does not block the other one. */
export function inTurn(addresses: readonly string[]): string[] {
  const [first = ''] = addresses;
  const same = addresses.filter((address) => isIPv4(address) === isIPv4(first));
  const other = addresses.filter((address) => isIPv4(address) !== isIPv4(first));
  return Array.from({ length: addresses.length }, (_, index) => [same[index], other[index]])
    .flat()
    .filter((address) => address !== undefined);
}
