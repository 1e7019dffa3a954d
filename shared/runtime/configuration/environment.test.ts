import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ConfigurationError } from './configuration-error.ts';
import { commonEnvironment, processEnvironment, readEnvironment } from './environment.ts';

const valid = { DATABASE_URL: 'postgres://localhost/muster', KAFKA_BROKERS: 'a:9092, b:9092' };

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'muster-env-'))));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
}

const commonProblems = (environment: NodeJS.ProcessEnv) =>
  problemsOf(() => readEnvironment(commonEnvironment, { ...valid, ...environment }));

describe('readEnvironment', () => {
  it('splits the list of Kafka brokers', () => {
    expect(readEnvironment(commonEnvironment, valid).KAFKA_BROKERS).toEqual(['a:9092', 'b:9092']);
  });

  it('reports each missing or wrong variable on its own line', () => {
    const environment = { KAFKA_BROKERS: '', MUSTER_TOPIC_PREFIX: 'a b', LOG_LEVEL: 'loud', HEALTH_PORT: 'x' };
    expect(commonProblems({ ...environment, DATABASE_URL: '' })).toEqual([
      'DATABASE_URL is not set: it has to be a URL such as postgres://user:password@host:5432/database',
      'KAFKA_BROKERS is not set: it has to be host:port, separated by commas',
      'MUSTER_TOPIC_PREFIX has to be 1 to 64 letters, digits, _ and -, not "a b"',
    ]);
    expect(problemsOf(() => readEnvironment(processEnvironment, environment))).toEqual([
      'LOG_LEVEL has to be fatal or error or warn or info or debug or trace or silent, not "loud"',
      'HEALTH_PORT has to be a number, not "x"',
    ]);
    expect(problemsOf(() => readEnvironment(processEnvironment, { STOP_DEADLINE_MS: '5' }))).toEqual([
      'STOP_DEADLINE_MS has to be at least 100, not "5"',
    ]);
  });

  it.each(['127.0.0.1', ',', 'a:9092,', 'a:0', 'a:70000', 'kafka://a:9092'])('refuses KAFKA_BROKERS=%s', (brokers) => {
    expect(commonProblems({ KAFKA_BROKERS: brokers })).toEqual([
      `KAFKA_BROKERS has to be host:port, separated by commas, such as kafka-1:9092,kafka-2:9092, not "${brokers}"`,
    ]);
  });

  it.each([
    [
      'postgres://a,b/muster?target_session_attrs=standby',
      'has to have target_session_attrs=read-write, primary or any',
    ],
    ['postgres://a,b,c/muster?port=1,2', 'has to have one port for all hosts or one for each (3 hosts and 2 ports)'],
    ['postgres://a/muster?pooler=transaction', 'has to have pooler=session or none'],
  ])('refuses DATABASE_URL=%s', (url, problem) => {
    expect(commonProblems({ DATABASE_URL: url })).toEqual([`DATABASE_URL ${problem}, not "${url}"`]);
  });

  it('refuses a wrong URL of several servers and prints no password', () => {
    expect(commonProblems({ DATABASE_URL: 'postgres://u:geheim@a:5432,b:5432/db?pooler=statement' })).toEqual([
      'DATABASE_URL has to have pooler=session or none, not "postgres://u:***@a:5432,b:5432/db?pooler=statement"',
    ]);
    expect(commonProblems({ DATABASE_URL: 'postgres://u:geh/eim@a:5432,b:5432/db' })).toEqual([
      'DATABASE_URL has to be a URL such as postgres://user:password@host:5432/database, ' +
        'with %40 for @, %2F for /, %3F for ? and %23 for # in a password, not a text of 37 characters',
    ]);
  });

  it.each([
    'postgres://u:a,b@h/db',
    'postgres://h/db?pooler=session',
    'postgres:///db?host=/run/postgresql',
    'postgres://u:p@a:5432,b,[::1]:5433/db?target_session_attrs=read-write',
  ])('accepts DATABASE_URL=%s', (url) => {
    expect(commonProblems({ DATABASE_URL: url })).toEqual([]);
  });

  it('accepts Kafka brokers by IP address', () => {
    expect(commonProblems({ KAFKA_BROKERS: '127.0.0.1:9092,[::1]:9093' })).toEqual([]);
  });

  it('treats an empty variable as not set', () => {
    expect(readEnvironment(z.object({ PORT: z.coerce.number().default(8080) }), { PORT: '' }).PORT).toBe(8080);
  });
});

describe('secrets in the environment', () => {
  it('are never printed in a problem', () => {
    expect(commonProblems({ DATABASE_URL: 'mysql://user:geheim@h/db?password=geheim' })).toEqual([
      'DATABASE_URL has to be a URL such as postgres://user:password@host:5432/database, not "mysql://user:***@h/db?password=***"',
    ]);
    expect(commonProblems({ DATABASE_URL: 'user:geheim@h' }).join()).not.toContain('geheim');
    const key = z.object({ MUSTER_BOOTSTRAP_API_KEY: z.string().min(16) });
    expect(problemsOf(() => readEnvironment(key, { MUSTER_BOOTSTRAP_API_KEY: 'short' }))).toEqual([
      'MUSTER_BOOTSTRAP_API_KEY has to be at least 16 characters long, not a text of 5 characters',
    ]);
  });

  it('may be in a file that ends with a line break', () => {
    const environment = { ...valid, DATABASE_URL: '', DATABASE_URL_FILE: file('url', 'postgres://h/from-file\n') };
    expect(readEnvironment(commonEnvironment, environment).DATABASE_URL).toBe('postgres://h/from-file');
  });

  it('are refused if both the variable and its file are set, or the file is missing or empty', () => {
    const path = file('both', 'postgres://h/d');
    expect(commonProblems({ DATABASE_URL_FILE: path })).toEqual([
      'DATABASE_URL and DATABASE_URL_FILE are both set: set one of them',
    ]);
    expect(commonProblems({ DATABASE_URL: '', DATABASE_URL_FILE: '/nowhere' })).toEqual([
      'DATABASE_URL_FILE=/nowhere: there is no such file',
    ]);
    const empty = file('empty', '\n');
    expect(commonProblems({ DATABASE_URL: '', DATABASE_URL_FILE: empty })).toEqual([
      `DATABASE_URL_FILE=${empty}: the file is empty`,
    ]);
  });
});
