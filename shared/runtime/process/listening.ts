import { ConfigurationError } from '../configuration/configuration-error.ts';

/**
 * Waits until a server listens.
 * @throws {ConfigurationError} that names the variable, if the port is taken or not permitted
 */
export async function listening<Result>(
  { variable, host, port }: { variable: string; host: string; port: number },
  listen: () => Promise<Result>,
): Promise<Result> {
  try {
    return await listen();
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? reasons[String(error.code)] : undefined;
    if (why === undefined) throw error;
    throw new ConfigurationError(`${variable}=${port}: ${why} (${host})`, { cause: error });
  }
}

const reasons: Record<string, string> = {
  EADDRINUSE: 'another process has this port already',
  EACCES: 'this process may not listen there',
  EADDRNOTAVAIL: 'this machine has no such address',
};
