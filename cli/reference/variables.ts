import path from 'node:path';
import type { z } from 'zod';
import { apiProcess } from '../../services/api/main.ts';
import { apiEnvironment } from '../../services/api/frame/config.ts';
import { connectorsEnvironment } from '../../services/connectors/config.ts';
import { dispatcherEnvironment } from '../../services/dispatcher/config.ts';
import { dispatcherProcess } from '../../services/dispatcher/main.ts';
import { schedulerEnvironment } from '../../services/scheduler/config.ts';
import { schedulerProcess } from '../../services/scheduler/main.ts';
import { triggerEnvironment } from '../../services/trigger/config.ts';
import { triggerProcess } from '../../services/trigger/main.ts';
import { workerEnvironment } from '../../services/worker/config.ts';
import { workerProcess } from '../../services/worker/main.ts';
import { infraEnvironment } from '../../shared/infrastructure/infrastructure.ts';
import { cacheEnvironment } from '../../shared/infrastructure/cache-folder.ts';
import { authEnvironment } from '../../shared/runtime/configuration/auth-settings.ts';
import { pathEnvironment } from '../../shared/runtime/configuration/engine-config-file.ts';
import { commonEnvironment, processEnvironment } from '../../shared/runtime/configuration/environment.ts';
import { kafkaSecurityEnvironment } from '../../shared/runtime/configuration/kafka-security.ts';
import { mailEnvironment } from '../../shared/runtime/configuration/mail-settings.ts';
import { plainWords } from '../../shared/runtime/configuration/plain-words.ts';
import { quotaEnvironment } from '../../shared/runtime/configuration/quotas.ts';
import { secretsEnvironment } from '../../shared/runtime/configuration/secret-box.ts';
import { isSecret } from '../../shared/runtime/configuration/secrets.ts';
import { targetTopicsEnvironment } from '../../shared/runtime/configuration/target-topics.ts';
import { egressEnvironment } from '../../shared/runtime/configuration/installation-egress.ts';
import { tracingEnvironment } from '../../shared/runtime/configuration/tracing-settings.ts';
import type { ProcessDefinition } from '../../shared/runtime/process/process.ts';
import { callerEnvironment } from '../api/api-client.ts';
import { anchorEnvironment } from '../audit/anchor.ts';
import { rolePasswordsEnvironment } from '../installation/rights/apply-grants.ts';
import { topicsEnvironment } from '../installation/topics.ts';
import { fieldsOf, jsonSchemaOf, joined, permittedValuesText, sentence, defaultText } from './words.ts';

export interface Variable {
  name: string;
  /** Names of services, `cli`, or `all`. */
  readers: readonly string[];
  isSecret: boolean;
  usual: string;
  /** Description, including permitted values. */
  description: string;
}

/** Sections of the page; a variable is listed in the first section that describes it. */
const sections: readonly { title: string; shapes: readonly z.ZodObject[] }[] = [
  { title: 'Servers, and the engine’s file', shapes: [commonEnvironment, pathEnvironment, kafkaSecurityEnvironment] },
  { title: 'Tracing', shapes: [tracingEnvironment] },
  { title: 'Every process', shapes: [processEnvironment] },
  { title: 'Secrets, and where calls may go', shapes: [secretsEnvironment, egressEnvironment] },
  { title: 'Access', shapes: [authEnvironment] },
  { title: 'Quotas', shapes: [quotaEnvironment] },
  { title: 'API', shapes: [apiEnvironment] },
  { title: 'E-mail', shapes: [mailEnvironment] },
  { title: 'Scheduler', shapes: [schedulerEnvironment] },
  { title: 'Dispatcher', shapes: [dispatcherEnvironment, targetTopicsEnvironment] },
  { title: 'Trigger', shapes: [triggerEnvironment] },
  { title: 'Worker', shapes: [workerEnvironment] },
  { title: 'Connectors', shapes: [connectorsEnvironment] },
  {
    title: 'Command line, demo and tests',
    shapes: [callerEnvironment, anchorEnvironment, rolePasswordsEnvironment, infraEnvironment, cacheEnvironment],
  },
];

/** Variables that commands read themselves, including `muster doctor`. */
const readByCommands: readonly z.ZodObject[] = [
  ...[callerEnvironment, commonEnvironment, topicsEnvironment, kafkaSecurityEnvironment, pathEnvironment],
  ...[authEnvironment, quotaEnvironment, egressEnvironment, targetTopicsEnvironment, processEnvironment],
  ...[anchorEnvironment, rolePasswordsEnvironment, infraEnvironment, cacheEnvironment],
];

const services = [apiProcess, schedulerProcess, triggerProcess, workerProcess, dispatcherProcess];

const leastEnvironment: NodeJS.ProcessEnv = {
  DATABASE_URL: 'postgres://muster@127.0.0.1/muster',
  KAFKA_BROKERS: '127.0.0.1:9092',
  MUSTER_CONFIG: path.join(import.meta.dirname, '../../deploy/examples/engine.json'),
};

/** Returns the variables that a service reads while it parses its configuration. */
function readBy({ prepare }: ProcessDefinition): ReadonlySet<string> {
  const read = new Set<string>();
  prepare(
    new Proxy(leastEnvironment, {
      get: (target, variable: string) => {
        const secret = variable.replace(/_FILE$/, '');
        read.add(isSecret(secret) ? secret : variable);
        return target[variable];
      },
    }),
  );
  return read;
}

/**
 * Returns all variables by section, with their readers.
 * @throws if a variable is read but not described, described twice, or described but not read
 */
export function variablesBySection(): { title: string; variables: Variable[] }[] {
  const readers = readersByName();
  const described = new Map<string, string>();
  const found = sections.map(({ title, shapes }) => ({
    title,
    variables: shapes.flatMap((shape) =>
      fieldsOf(jsonSchemaOf(shape)).flatMap((field): Variable[] => {
        const { name, schema } = field;
        const words = schema.description;
        if (words === undefined) return [];
        const before = described.get(name);
        if (before === words) return [];
        if (before !== undefined) throw new Error(`${name} is described twice`);
        described.set(name, words);
        const of = readers.get(name);
        if (of === undefined) throw new Error(`${name} is described, and nothing reads it`);
        const right = permittedValuesText(schema) || formOf(shape, name);
        const description = joined(sentence(words), right);
        return [{ name, readers: of, isSecret: isSecret(name), usual: defaultText(field), description }];
      }),
    ),
  }));
  const silent = [...readers.keys()].filter((name) => !described.has(name));
  if (silent.length > 0) throw new Error(`not described: ${silent.join(', ')}`);
  return found;
}

function readersByName(): Map<string, string[]> {
  const sets = [
    ...services.map((service) => ({ name: service.name, read: readBy(service) })),
    { name: 'connectors', read: namesIn([connectorsEnvironment]) },
    { name: 'cli', read: namesIn(readByCommands) },
  ];
  const names = new Set(sets.flatMap(({ read }) => [...read]));
  return new Map(
    [...names].map((variable) => {
      const of = sets.filter(({ read }) => read.has(variable)).map(({ name }) => name);
      const isOfAll = services.every(({ name }) => of.includes(name));
      return [variable, isOfAll ? ['all', ...of.filter((name) => name === 'cli')] : of];
    }),
  );
}

function namesIn(shapes: readonly z.ZodObject[]): ReadonlySet<string> {
  return new Set(shapes.flatMap(({ shape }) => Object.keys(shape)));
}

/** Returns the permitted form, taken from the error message for a wrong value. */
function formOf(shape: z.ZodObject, name: string): string {
  const wrong = '\u0000';
  const read = shape.safeParse({ [name]: wrong }, { error: plainWords });
  const refusal = read.error?.issues.find(({ path: [field] }) => field === name)?.message ?? '';
  const form = /^has to be (?<form>.*)$/.exec(refusal)?.groups?.['form'];
  return form === undefined || form.includes(JSON.stringify(wrong)) ? '' : sentence(`It has to be ${form}`);
}
