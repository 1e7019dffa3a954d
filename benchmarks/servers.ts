import { startLocalInfrastructure, type LocalInfrastructure } from '../shared/infrastructure/local.ts';
import { startStub, type Stub } from './stub/stub.ts';

export interface Servers {
  infrastructure: LocalInfrastructure;
  stub: Stub;
}

/** Starts a Kafka, a Postgres and stub services, calls `run`, and stops all of them even if `run` fails. */
export async function withServers<Result>(
  postgresSettings: Readonly<Record<string, string | number>>,
  run: (servers: Servers) => Promise<Result>,
): Promise<Result> {
  const infrastructure = await startLocalInfrastructure({
    environment: process.env,
    report: console.error,
    postgresSettings,
  });
  try {
    const stub = await startStub();
    try {
      return await run({ infrastructure, stub });
    } finally {
      await stub.stop();
    }
  } finally {
    await infrastructure.stop();
  }
}
