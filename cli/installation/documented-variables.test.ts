import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { apiProcess } from '../../services/api/main.ts';
import { dispatcherProcess } from '../../services/dispatcher/main.ts';
import { schedulerProcess } from '../../services/scheduler/main.ts';
import { triggerProcess } from '../../services/trigger/main.ts';
import { workerProcess } from '../../services/worker/main.ts';
import type { ProcessDefinition } from '../../shared/runtime/process/process.ts';

const root = path.join(import.meta.dirname, '../..');
const page = readFileSync(path.join(root, 'docs/configuration.md'), 'utf8');

const leastEnvironment: NodeJS.ProcessEnv = {
  DATABASE_URL: 'postgres://muster@127.0.0.1/muster',
  KAFKA_BROKERS: '127.0.0.1:9092',
  MUSTER_CONFIG: path.join(root, 'deploy/examples/engine.json'),
};

/** All that begin with `KAFKA_TLS` are one name, and so are a secret and its file. */
function readBy({ prepare }: ProcessDefinition): string[] {
  const read = new Set<string>();
  const environment = new Proxy(leastEnvironment, {
    get: (target, variable: string) => {
      read.add(variable.replace(/_FILE$/, '').replace(/^KAFKA_(TLS|SASL).*/, 'KAFKA_$1…'));
      return target[variable];
    },
  });
  prepare(environment);
  return [...read].toSorted();
}

/** A line's head: `A`, `B` * (api, worker; 5). */
const heads = /^- (?<variables>`[^`]+`(?:,\s+`[^`]+`)*)(?: \*)? \((?<services>[^;)]+)/gm;

function saidOf(service: string): string[] {
  return [...page.matchAll(heads)]
    .map(({ groups }) => ({ variables: groups?.['variables'] ?? '', services: groups?.['services']?.split(/,\s+/) }))
    .filter(({ services }) => services?.some((each) => each === 'all' || each === service))
    .flatMap(({ variables }) => variables.split(/,\s+/).map((variable) => variable.slice(1, -1)))
    .toSorted();
}

describe('docs/configuration.md', () => {
  it.each([apiProcess, schedulerProcess, triggerProcess, workerProcess, dispatcherProcess])(
    'names the variables that a service reads, and no other: $name',
    (service) => {
      expect(saidOf(service.name)).toEqual(readBy(service));
    },
  );
});
