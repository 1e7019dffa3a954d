import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { startDnsServer, type DnsAnswer, type DnsQuestion, type DnsServer } from '../../test/support/dns-server.ts';
import { createSettableClock } from '../../test/support/settable-clock.ts';
import { createHostNames, type HostNames } from './host-names.ts';

const none: DnsAnswer = {};
const loopback = (question: DnsQuestion, more: DnsAnswer = {}): DnsAnswer =>
  question.type === 'A' ? { addresses: ['127.0.0.1'], ...more } : { ...none, ...more, addresses: [] };

describe('the look-up of a host name', () => {
  const clock = createSettableClock();
  const folder = mkdtempSync(join(tmpdir(), 'muster-names-'));
  const [hostsFile, resolverFile] = [join(folder, 'hosts'), join(folder, 'resolv.conf')];
  let answer: (question: DnsQuestion) => DnsAnswer | null;
  let server: DnsServer;
  let names: HostNames;
  beforeEach(async () => {
    answer = loopback;
    writeFileSync(hostsFile, '');
    writeFileSync(resolverFile, '');
    server = await startDnsServer((question) => answer(question));
    names = createHostNames({ clock, servers: [server.address], hostsFile, resolverFile });
    return () => {
      names.close();
      server.close();
    };
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const lookUp = (hostname: string, caller = 'one') => names.addressesOf({ caller, hostname, withinMs: 3000 });
  const requested = (name: string) =>
    server.questions.filter((question) => question.name === name && question.type === 'A');
  /** Waits until the server has received this number of queries. */
  const untilRequested = (count: number) => expect.poll(() => server.questions.length).toBeGreaterThanOrEqual(count);

  it('returns addresses of both kinds, IPv4 first', async () => {
    answer = ({ type }) =>
      type === 'A' ? { addresses: ['192.0.2.1', '192.0.2.2'] } : { addresses: ['2001:db8::1:2'] };
    const addresses = await lookUp('both.example');
    expect([...addresses].sort()).toEqual(['192.0.2.1', '192.0.2.2', '2001:db8::1:2']);
    expect(addresses.at(-1)).toBe('2001:db8::1:2');
    answer = ({ type }) => (type === 'A' ? none : { addresses: ['2001:db8::1'] });
    expect(await lookUp('six.example')).toEqual(['2001:db8::1']);
  });

  it('is repeated after the time to live of the answer', async () => {
    answer = (question) => loopback(question, { ttlSeconds: 5 });
    expect(await lookUp('shop.example')).toEqual(['127.0.0.1']);
    clock.advance(4999);
    answer = (question) =>
      loopback(question, { ttlSeconds: 5, ...(question.type === 'A' && { addresses: ['127.0.0.2'] }) });
    expect(await lookUp('shop.example')).toEqual(['127.0.0.1']);
    expect(requested('shop.example')).toHaveLength(1);
    clock.advance(1);
    expect(await lookUp('shop.example')).toEqual(['127.0.0.2']);
  });

  it('is made once for concurrent calls', async () => {
    answer = (question) => loopback(question, { afterMs: 20 });
    await Promise.all(Array.from({ length: 50 }, () => lookUp('shop.example')));
    expect(requested('shop.example')).toHaveLength(1);
  });

  it('fails with ENOTFOUND for one second if the name does not exist', async () => {
    answer = () => ({ code: 'NXDOMAIN' });
    await expect(lookUp('new.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    answer = () => none;
    await expect(lookUp('empty.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    answer = loopback;
    await expect(lookUp('new.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    clock.advance(1000);
    expect(await lookUp('new.example')).toEqual(['127.0.0.1']);
  });

  it('fails with EAI_AGAIN if a name server cannot answer', async () => {
    answer = () => ({ code: 'SERVFAIL' });
    await expect(lookUp('broken.example')).rejects.toMatchObject({ code: 'EAI_AGAIN' });
    answer = ({ type }) => (type === 'A' ? none : { code: 'SERVFAIL' });
    await expect(lookUp('half.example')).rejects.toMatchObject({ code: 'EAI_AGAIN' });
  });

  it('fails with EAI_AGAIN if no name server answers in time', async () => {
    answer = () => null;
    const waiting = expect(lookUp('silent.example')).rejects.toMatchObject({ code: 'EAI_AGAIN' });
    await untilRequested(1);
    clock.advance(3000);
    await waiting;
  });

  it('succeeds if the answer arrived while the event loop was blocked past the time-out', async () => {
    answer = (question) => {
      // The answer is sent in this phase of the event loop, and read in the next poll phase.
      if (server.questions.length === 2) setImmediate(() => clock.advance(3000));
      return loopback(question);
    };
    expect(await lookUp('paused.example')).toEqual(['127.0.0.1']);
  });

  it('returns IPv6 addresses too if their answer arrived while the event loop was blocked', async () => {
    answer = (question) => {
      if (question.type === 'A') return loopback(question);
      // Set after the timer of the answer: the clock moves after the answer is sent and before it is read.
      queueMicrotask(() => setTimeout(() => clock.advance(50), 30));
      return { addresses: ['2001:db8::1'], afterMs: 30 };
    };
    expect(await lookUp('paused.example')).toEqual(['127.0.0.1', '2001:db8::1']);
  });

  it('returns IPv4 addresses if a name server drops IPv6 queries', async () => {
    answer = (question) => (question.type === 'A' ? loopback(question) : null);
    const waiting = lookUp('old.example');
    await expect.poll(() => clock.nextWakeMs()).toBe(clock.nowMs() + 50);
    clock.advance(50);
    expect(await waiting).toEqual(['127.0.0.1']);
  });

  it('does not delay the look-ups of another caller, and runs at most 20 at once', async () => {
    answer = (question) =>
      question.name.endsWith('.late.example') ? { code: 'NXDOMAIN', afterMs: 500 } : loopback(question);
    const late = Array.from({ length: 300 }, (_, index) => lookUp(`a${index}.late.example`, 'slow'));
    const settled = Promise.allSettled(late);
    await untilRequested(40);
    expect(await lookUp('shop.example', 'other')).toEqual(['127.0.0.1']);
    const lateNames = new Set(server.questions.map(({ name }) => name).filter((name) => name.includes('late')));
    expect(lateNames.size).toBe(20);
    // Queries without a waiting caller are not sent: the next look-up of the client is answered.
    clock.advance(3000);
    expect((await settled).every(({ status }) => status === 'rejected')).toBe(true);
    expect(await lookUp('shop.example', 'slow')).toEqual(['127.0.0.1']);
    expect(requested('a299.late.example')).toEqual([]);
  });

  it('reads the hosts file and follows its changes', async () => {
    writeFileSync(
      hostsFile,
      '# by hand\n10.0.0.7\tledger Ledger.Internal # the old one\n::1 ledger.internal\nx ledger.internal\n',
    );
    expect(await lookUp('ledger.internal')).toEqual(['10.0.0.7', '::1']);
    writeFileSync(hostsFile, '10.0.0.8 ledger.internal');
    clock.advance(1000);
    expect(await lookUp('ledger.internal')).toEqual(['10.0.0.8']);
    expect(server.questions).toEqual([]);
  });

  it('tries the search domains of the network: first for short names, last for others', async () => {
    writeFileSync(resolverFile, 'domain old.test\nnameserver 192.0.2.1\nsearch prod.svc.test svc.test.\n');
    answer = (question) =>
      ['ledger.svc.test', 'shop.prod.svc.test', 'api.example'].includes(question.name)
        ? loopback(question)
        : { code: 'NXDOMAIN' };
    expect(await lookUp('ledger')).toEqual(['127.0.0.1']);
    expect(await lookUp('shop.prod')).toEqual(['127.0.0.1']);
    expect(await lookUp('api.example.')).toEqual(['127.0.0.1']);
    const order = server.questions.filter(({ type }) => type === 'A').map(({ name }) => name);
    expect(order).toEqual([
      ...['ledger.prod.svc.test', 'ledger.svc.test'],
      ...['shop.prod', 'shop.prod.prod.svc.test', 'shop.prod.svc.test'],
      'api.example',
    ]);
  });
});
