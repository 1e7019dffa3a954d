import { EventEmitter } from 'node:events';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { logWarnings } from './log-warnings.ts';

it('logWarnings writes warnings of Node.js to the log and nowhere else', () => {
  const lines: string[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(chunk.toString());
      done();
    },
  });
  const emitter = new EventEmitter();
  const printed: Error[] = [];
  emitter.on('warning', (warning: Error) => printed.push(warning));
  logWarnings(pino(stream), emitter);
  const warning = Object.assign(new Error('-5 is a negative number.'), { name: 'TimeoutNegativeWarning' });
  emitter.emit('warning', warning);
  expect(printed).toEqual([]);
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    msg: 'Node.js warns',
    warning: 'TimeoutNegativeWarning',
    err: { message: '-5 is a negative number.' },
  });
});
