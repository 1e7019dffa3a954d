import { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectToFirst, inTurn } from './connect-to-first.ts';

/** Records attempts at addresses in their order; the test ends the attempts. */
function attemptAt(addresses: readonly string[]) {
  const attempts: { address: string; socket: Socket; callback: buildConnector.Callback }[] = [];
  const results: Parameters<buildConnector.Callback>[] = [];
  connectToFirst(
    addresses,
    (address, callback) => {
      const socket = new Socket();
      attempts.push({ address, socket, callback });
      return socket;
    },
    (...result) => results.push(result),
  );
  const attempt = (address: string) => {
    const found = attempts.find((one) => one.address === address);
    if (found === undefined) throw new Error(`no attempt at ${address}`);
    return found;
  };
  return {
    results,
    tried: () => attempts.map(({ address }) => address),
    socketOf: (address: string) => attempt(address).socket,
    fail: (address: string) => attempt(address).callback(new Error(`${address} failed`), null),
    connect: (address: string) => attempt(address).callback(null, attempt(address).socket),
  };
}

describe('a connection to the first of several addresses', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('tries the next address at once if one fails', () => {
    const { tried, fail, connect, results, socketOf } = attemptAt(['a', 'b']);
    expect(tried()).toEqual(['a']);
    fail('a');
    expect(tried()).toEqual(['a', 'b']);
    connect('b');
    expect(results).toEqual([[null, socketOf('b')]]);
  });

  it('tries the next address if one is silent for 250 ms, and closes the other attempts', () => {
    const { tried, connect, results, socketOf } = attemptAt(['a', 'b', 'c', 'd']);
    vi.advanceTimersByTime(249);
    expect(tried()).toEqual(['a']);
    vi.advanceTimersByTime(251);
    expect(tried()).toEqual(['a', 'b', 'c']);
    connect('b');
    vi.advanceTimersByTime(1000);
    expect(tried()).toEqual(['a', 'b', 'c']);
    expect(results).toEqual([[null, socketOf('b')]]);
    expect(['a', 'b', 'c'].map((address) => socketOf(address).destroyed)).toEqual([true, false, true]);
  });

  it('reports only one connection if two succeed at the same time', () => {
    const { connect, results, socketOf } = attemptAt(['a', 'b']);
    vi.advanceTimersByTime(250);
    connect('b');
    connect('a');
    expect(results).toEqual([[null, socketOf('b')]]);
    expect(socketOf('a').destroyed).toBe(true);
  });

  it('waits for an address that accepted the connection but is slow with TLS', () => {
    const { tried, fail, socketOf } = attemptAt(['a', 'b']);
    socketOf('a').emit('connect');
    vi.advanceTimersByTime(10_000);
    expect(tried()).toEqual(['a']);
    fail('a');
    expect(tried()).toEqual(['a', 'b']);
  });

  it('fails with the last error once all addresses have failed', () => {
    const { fail, results } = attemptAt(['a', 'b']);
    vi.advanceTimersByTime(250);
    fail('b');
    expect(results).toEqual([]);
    fail('a');
    expect(results).toEqual([[new Error('a failed'), null]]);
  });
});

describe('the order of connection attempts', () => {
  it.each<[string[], string[]]>([
    [[], []],
    [['10.0.0.1'], ['10.0.0.1']],
    [
      ['10.0.0.1', '10.0.0.2', '10.0.0.3', '::1', '::2'],
      ['10.0.0.1', '::1', '10.0.0.2', '::2', '10.0.0.3'],
    ],
    [
      ['::1', '::2', '10.0.0.1'],
      ['::1', '10.0.0.1', '::2'],
    ],
  ])('alternates between the families of addresses: %j is %j', (addresses, sorted) => {
    expect(inTurn(addresses)).toEqual(sorted);
  });
});
