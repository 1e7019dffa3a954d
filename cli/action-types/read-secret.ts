import type { Readable } from 'node:stream';
import { contentOf } from '../frame/given.ts';
import { UsageError } from '../frame/usage-error.ts';

/**
 * Where a secret is read from: never from the command line, which others on the machine can see and which shells
 * remember.
 */
export interface SecretSource {
  /** A path, or `-` for standard input. */
  fromFile?: string | undefined;
  fromStdin?: true | undefined;
}

/** Without the line break at its end. */
export async function readSecretFrom({ fromFile, fromStdin }: SecretSource, input: Readable): Promise<string> {
  if ((fromFile === undefined) === (fromStdin === undefined)) {
    throw new UsageError('say where the secret is: --from-file <path> or --from-stdin');
  }
  const content = await contentOf(fromFile ?? '-', input);
  const secret = content.replace(/\r?\n$/, '');
  if (secret === '') throw new UsageError(`${fromFile ?? 'standard input'}: there is no secret in it`);
  return secret;
}

/** The secrets that a change gives again, by the options that name their files; undefined where it gives none. */
export async function readSecretFiles(
  files: { authorizationFile?: string | undefined; signingFile?: string | undefined },
  input: Readable,
): Promise<Record<string, string> | undefined> {
  const { authorizationFile, signingFile } = files;
  if (authorizationFile === '-' && signingFile === '-') throw new UsageError('standard input holds one secret only');
  const read: [string, string][] = [];
  for (const [secret, fromFile] of [
    ['authorization', authorizationFile],
    ['signing', signingFile],
  ] as const) {
    if (fromFile !== undefined) read.push([secret, await readSecretFrom({ fromFile }, input)]);
  }
  return read.length === 0 ? undefined : Object.fromEntries(read);
}
