import type { TestProject } from 'vitest/node';
import type { Infrastructure } from '../shared/infrastructure/infrastructure.ts';
import { createTemplateDatabase, type TemplateDatabase } from './support/template-database.ts';
import { startTestServers } from './support/test-servers.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** An empty database; each test file makes a database of its own beside it. */
    databaseUrl: string;
    /** Database that the test databases are copied from. */
    templateDatabase: string;
    /** Addresses of the brokers, separated by commas. Each test file uses its own topic prefix. */
    kafkaBrokers: string;
  }
}

interface Shared {
  users: number;
  starting: Promise<{ infrastructure: Infrastructure; template: TemplateDatabase }>;
}

declare global {
  var musterTestInfrastructure: Shared | undefined;
}

/**
 * Starts one Kafka and one Postgres for a whole test run. Each vitest project loads this file again in the same
 * process, so the servers that projects share are stored in a global variable.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const shared = (globalThis.musterTestInfrastructure ??= {
    users: 0,
    starting: start(),
  });
  shared.users += 1;
  const { infrastructure, template } = await shared.starting;
  if (shared.users === 1) process.stderr.write(`using ${infrastructure.description}\n`);
  project.provide('databaseUrl', infrastructure.databaseUrl);
  project.provide('templateDatabase', template.name);
  project.provide('kafkaBrokers', infrastructure.brokers.join(','));
  return async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    globalThis.musterTestInfrastructure = undefined;
    await template.drop();
    await infrastructure.stop();
  };
}

async function start() {
  const infrastructure = await startTestServers();
  try {
    return { infrastructure, template: await createTemplateDatabase(infrastructure.databaseUrl) };
  } catch (error) {
    await infrastructure.stop();
    throw error;
  }
}
