import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createKafka } from './connection.ts';

const line = z.object({ level: z.number(), said: z.string() });

function logged(level: string) {
  const lines: string[] = [];
  const logger = pino({ level }, { write: (text) => lines.push(text) });
  const client = createKafka({ brokers: ['127.0.0.1:1'], clientId: 'test', logger })
    .admin()
    .logger();
  const read = () =>
    lines
      .map((text) => line.parse(JSON.parse(text)))
      .map(({ level: at, said }) => `${pino.levels.labels[at]}: ${said}`);
  return { client, read };
}

describe('what the Kafka client logs', () => {
  it('is never an error of ours', () => {
    const { client, read } = logged('info');
    client.error('Connection timeout');
    client.warn('Could not create topics');
    expect(read()).toEqual(['warn: Connection timeout', 'warn: Could not create topics']);
  });

  it('is for debugging only while leaders and coordinators find themselves', () => {
    const { client, read } = logged('debug');
    client.error('Response GroupCoordinator', { error: 'The group coordinator is not available' });
    client.error('Failed to send messages: This server is not the leader for that topic-partition');
    client.warn('The group is rebalancing, re-joining');
    expect(read().map((entry) => entry.split(':')[0])).toEqual(['debug', 'debug', 'debug']);
  });

  it('is not about every pause and answer unless asked for', () => {
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
});
