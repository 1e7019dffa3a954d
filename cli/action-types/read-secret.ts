import type { Readable } from 'node:stream';
import { contentOf } from '../frame/given.ts';
import { UsageError } from '../frame/usage-error.ts';

/** Source of a secret. Never the command line: other users can see it, and shells store it in their history. */
export interface SecretSource {
  /** A path, or `-` for standard input. */
  fromFile?: string | undefined;
  fromStdin?: true | undefined;
}

export async function readSecretFrom({ fromFile, fromStdin }: SecretSource, input: Readable): Promise<string> {
  if ((fromFile === undefined) === (fromStdin === undefined)) {
    throw new UsageError('say where the secret is: --from-file <path> or --from-stdin');
  }
  const content = await contentOf(fromFile ?? '-', input);
  const secret = content.replace(/\r?\n$/, '');
  if (secret === '') throw new UsageError(`${fromFile ?? 'standard input'}: there is no secret in it`);
  return secret;
}

/** Reads new secrets, by the options that name their files; undefined if there are none. */
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
