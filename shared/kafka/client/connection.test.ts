import { logLevel, type LogEntry } from 'kafkajs';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createClientLog } from './client-log.ts';
import { createKafka } from './connection.ts';

const line = z.object({ level: z.number(), text: z.string() });

const folded = z.object({
  msg: z.string(),
  times: z.number().optional(),
  lastedSeconds: z.number().optional(),
  afterSeconds: z.number().optional(),
});

function logged(level: string) {
  const lines: string[] = [];
  const logger = pino({ level }, { write: (text) => lines.push(text) });
  let nowMs = 0;
  const clock = { monotonicMs: () => nowMs };
  const client = createKafka({ brokers: ['127.0.0.1:1'], clientId: 'test', logger, clock })
    .admin()
    .logger();
  const log = createClientLog({ logger, clock });
  const read = () =>
    lines
      .map((text) => line.parse(JSON.parse(text)))
      .map(({ level: at, text }) => `${pino.levels.labels[at]}: ${text}`);
  /** Writes both log entries of kafkajs for a broker that does not answer. */
  function refused(): void {
    log.write(entryOf('Connection', 'Connection error: connect ECONNREFUSED b:1', { broker: 'b:1' }));
    log.write(entryOf('BrokerPool', 'Failed to connect to seed broker, trying another broker from the list: …'));
  }
  return { client, read, log, refused, advance: (ms: number) => (nowMs += ms), lines };
}

function entryOf(namespace: string, message: string, facts: object = {}): LogEntry {
  return { namespace, level: logLevel.ERROR, label: 'ERROR', log: { timestamp: '', message, ...facts } };
}

describe('a log line of the Kafka client', () => {
  it('is logged as a warning instead of an error', () => {
    const { client, read } = logged('info');
    client.error('Connection timeout');
    client.warn('Could not create topics');
    expect(read()).toEqual(['warn: Connection timeout', 'warn: Could not create topics']);
  });

  it('is a debug line while leaders and coordinators are being elected', () => {
    const { client, read } = logged('debug');
    client.error('Response GroupCoordinator', { error: 'The group coordinator is not available' });
    client.error('Failed to send messages: This server is not the leader for that topic-partition');
    client.warn('The group is rebalancing, re-joining');
    expect(read().map((entry) => entry.split(':')[0])).toEqual(['debug', 'debug', 'debug']);
  });

  it('is logged at the levels debug and trace only if it reports a routine event', () => {
    const info = logged('info');
    info.client.info('Pausing fetching from 1 topics');
    const debug = logged('debug');
    debug.client.info('Pausing fetching from 1 topics');
    debug.client.debug('Request Fetch');
    const trace = logged('trace');
    trace.client.debug('Request Fetch');
    expect([info.read(), debug.read(), trace.read()]).toEqual([
      [],
      ['debug: Pausing fetching from 1 topics'],
      ['trace: Request Fetch'],
    ]);
  });

  it('for an unavailable broker is logged once, then every 30 s with a count, and once it is back', () => {
    const { log, refused, advance, lines } = logged('info');
    for (let second = 0; second < 61; second++) {
      refused();
      advance(1000);
    }
    log.answered('other:1');
    log.answered('b:1');
    log.answered('b:1');
    const entries = lines.map((text) => folded.parse(JSON.parse(text)));
    expect(entries).toEqual([
      { msg: 'kafka broker does not answer' },
      { msg: 'kafka broker does not answer', times: 30, lastedSeconds: 30 },
      { msg: 'kafka broker does not answer', times: 30, lastedSeconds: 60 },
      { msg: 'kafka broker answers again', afterSeconds: 61 },
    ]);
  });

  it('is logged once for the same cause even if its numbers differ', () => {
    const { client, read } = logged('info');
    for (let i = 0; i < 50; i++) client.warn(`Response took ${i} ms`);
    client.warn('something else');
    expect(read()).toEqual(['warn: Response took 0 ms', 'warn: something else']);
  });

  it('is not logged for a silent tool', () => {
    const { client, read } = logged('silent');
    client.error('Connection timeout');
    expect(read()).toEqual([]);
  });
});
