import { expect, test } from 'vitest';
import { stopService, type Service } from '../../../shared/runtime/process/service.ts';
import { compositeService } from './composite-service.ts';

function recordingService(name: string, steps: string[], over: Partial<Service> = {}): Service {
  const step = (what: string) => () => {
    steps.push(`${name} ${what}`);
    return Promise.resolve();
  };
  return {
    ready: () => true,
    stopIntake: step('stops intake'),
    finishWork: step('finishes'),
    close: step('closes'),
    ...over,
  };
}

test('a composite service stops the intake of all its services before any of them finishes, last started first', async () => {
  const steps: string[] = [];
  await stopService(compositeService(['api', 'worker'].map((name) => recordingService(name, steps))));
  expect(steps).toEqual([
    'worker stops intake',
    'api stops intake',
    'worker finishes',
    'api finishes',
    'worker closes',
    'api closes',
  ]);
});

test('a composite service is ready if all its services are ready', () => {
  const ready = recordingService('api', []);
  const starting = recordingService('worker', [], { ready: () => false });
  expect(compositeService([ready]).ready()).toBe(true);
  expect(compositeService([ready, starting]).ready()).toBe(false);
});

test('a composite service is broken if one of its services is broken', async () => {
  const cause = new Error('consumer crashed');
  const broken = recordingService('worker', [], { broken: Promise.resolve(cause) });
  expect(await compositeService([recordingService('api', []), broken]).broken).toBe(cause);
  expect(compositeService([recordingService('api', [])]).broken).toBeUndefined();
});
