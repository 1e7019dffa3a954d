import { startLocalInfrastructure, type LocalInfrastructure } from '../shared/infrastructure/local.ts';
import { startStub, type Stub } from './stub/stub.ts';

export interface Servers {
  infrastructure: LocalInfrastructure;
  stub: Stub;
}

/** Runs a benchmark on a Kafka, a Postgres and stub services of its own, and ends them whatever comes of it. */
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
