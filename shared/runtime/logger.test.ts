import { pino } from 'pino';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { publicId } from '../domain/ids/ids.ts';
import { loggerOptions } from './logger.ts';
import { packageVersion } from './version.ts';

const uuid = '01890a5d-ac96-774b-bcce-b302099a8057';

function lineOf(log: (logger: pino.Logger) => void): Record<string, unknown> {
  const lines: string[] = [];
  log(pino(loggerOptions('worker', 'info'), { write: (line) => lines.push(line) }));
  return z.record(z.string(), z.unknown()).parse(JSON.parse(lines[0] ?? ''));
}

test('a log line has its level as a word, an ISO time, the service once and the version', () => {
  const line = lineOf((logger) => logger.warn('late'));
  const isoTime: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(line).toEqual({
    level: 'warn',
    time: isoTime,
    service: 'worker',
    version: packageVersion,
    pid: process.pid,
    msg: 'late',
  });
});

test('a log line shows ids in the form of the API, even those that a child logger adds', () => {
  const ids = { runId: uuid, campaignId: uuid, feedId: uuid, jobId: uuid, fireId: uuid };
  const displayed = {
    runId: publicId('run', uuid),
    campaignId: publicId('campaign', uuid),
    feedId: publicId('feed', uuid),
    jobId: publicId('job', uuid),
    fireId: publicId('job', uuid),
  };
  expect(lineOf((logger) => logger.info(ids, 'run begun'))).toMatchObject(displayed);
  expect(lineOf((logger) => logger.child(ids).info('run begun'))).toMatchObject(displayed);
  expect(displayed.feedId).toMatch(/^feed_/);
});

test('a log line shows an id field without a UUID unchanged', () => {
  expect(lineOf((logger) => logger.info({ runId: null, feedId: 'test-feed' }, 'x'))).toMatchObject({
    runId: null,
    feedId: 'test-feed',
  });
});
