import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readEnvironment } from '../configuration/environment.ts';
import { noMeter } from '../meter/no-meter.ts';
import { defineProcess, type ProcessContext } from './process.ts';
import { stopService, type Service } from './service.ts';

const quiet = { LOG_LEVEL: 'silent' };
const host = { meter: noMeter };

/** Returns a service that records its steps and those of its resources. */
function recording(start?: (context: ProcessContext) => void) {
  const steps: string[] = [];
  const step = (name: string) => () => {
    steps.push(name);
    return Promise.resolve();
  };
  const service: Service = {
    ready: () => true,
    stopIntake: step('stop intake'),
    finishWork: step('finish work'),
    close: step('close service'),
  };
  const definition = defineProcess(
    'test',
    (environment) => readEnvironment(z.object({ NUMBER: z.coerce.number() }), environment),
    (_, context) => {
      context.onClose('pool', step('close pool'));
      context.onClose('publisher', step('close publisher'));
      start?.(context);
      return Promise.resolve(service);
    },
  );
  return { definition, steps };
}

describe('a process', () => {
  it('reports every problem of its configuration before it starts anything', () => {
    const { definition, steps } = recording();
    expect(() => definition.prepare({ LOG_LEVEL: 'loud', NUMBER: 'many' })).toThrow(
      /LOG_LEVEL has to be .*, not "loud"\nNUMBER has to be a number, not "many"/,
    );
    expect(steps).toEqual([]);
  });

  it('names its parts while it starts', async () => {
    const parts: string[] = [];
    const { definition } = recording(({ addPart }) => {
      addPart('kafka', () => undefined);
      throw new Error('Kafka does not answer');
    });
    const starting = definition
      .prepare({ ...quiet, NUMBER: '1' })
      .start({ ...host, addPart: (part) => parts.push(part) });
    await expect(starting).rejects.toThrow('Kafka does not answer');
    expect(parts).toEqual(['loop', 'kafka']);
  });

  it('closes the service, then its resources in reverse order, each once', async () => {
    const { definition, steps } = recording();
    const running = await definition.prepare({ ...quiet, NUMBER: '1' }).start(host);
    await stopService(running);
    await running.close();
    expect(steps).toEqual(['stop intake', 'finish work', 'close service', 'close publisher', 'close pool']);
  });

  it('closes the opened resources if its start fails', async () => {
    const { definition, steps } = recording(() => {
      throw new Error('no database');
    });
    await expect(definition.prepare({ ...quiet, NUMBER: '1' }).start(host)).rejects.toThrow('no database');
    expect(steps).toEqual(['close publisher', 'close pool']);
  });

  it('closes the remaining resources if one of them cannot be closed', async () => {
    const { definition, steps } = recording(({ onClose }) =>
      onClose('consumer', () => Promise.reject(new Error('gone'))),
    );
    const running = await definition.prepare({ ...quiet, NUMBER: '1' }).start(host);
    await running.close();
    expect(steps).toEqual(['close service', 'close publisher', 'close pool']);
  });

  it('gets a new owner name each time it is started', async () => {
    const owners: string[] = [];
    const { definition } = recording(({ owner }) => owners.push(owner));
    const prepared = definition.prepare({ ...quiet, NUMBER: '1' });
    await prepared.start(host);
    await prepared.start(host);
    expect(owners).toEqual([expect.stringMatching(/^test@.+\//), expect.stringMatching(/^test@.+\//)]);
    expect(owners[0]).not.toBe(owners[1]);
  });
});
