import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';

const environment = {
  DATABASE_URL: 'postgres://muster@127.0.0.1/muster',
  KAFKA_BROKERS: '127.0.0.1:9092',
  MUSTER_CONFIG: join(import.meta.dirname, '../../deploy/examples/engine.json'),
  MUSTER_SECRETS_KEY: randomBytes(32).toString('base64'),
};
const serversOf = (list: string) => readConfig({ ...environment, DISPATCHER_DNS_SERVERS: list }).DISPATCHER_DNS_SERVERS;

describe('the name servers of dispatchers', () => {
  it('are those of the machine by default', () => {
    expect([readConfig(environment).DISPATCHER_DNS_SERVERS, serversOf('')]).toEqual([undefined, undefined]);
  });

  it('are IP addresses with or without a port', () => {
    const list = ['192.0.2.1', '192.0.2.1:5353', '2001:db8::1', '[2001:db8::1]:5353'];
    expect(serversOf(list.join(', '))).toEqual(list);
  });

  it.each([',', 'dns.example', '192.0.2.1,', '192.0.2.1:99999999'])('cannot be %j', (list) => {
    expect(() => serversOf(list)).toThrow('DISPATCHER_DNS_SERVERS');
  });
});
