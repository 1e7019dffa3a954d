import { afterEach } from 'vitest';
import { sandboxProcess } from '../../services/sandbox/main.ts';
import type { ContractClass } from '../../shared/domain/step/consequences.ts';
import { noMeter } from '../../shared/runtime/meter/no-meter.ts';
import { stopService } from '../../shared/runtime/process/service.ts';

const memories: Record<ContractClass, string> = { A: 'users', B: 'keys', C: 'outcomes', D: 'none' };
/** Secret from the published test vectors of Standard Webhooks. */
export const signing = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** Starts a sandbox in a test of the calling file, and stops it after the test. */
export function sandboxForEach() {
  let stop: (() => Promise<void>) | undefined;

  afterEach(async () => {
    await stop?.();
    stop = undefined;
  });

  return async (contractClass: ContractClass, environment: Record<string, string> = {}): Promise<string> => {
    const sandbox = await startSandbox(contractClass, environment);
    stop = sandbox.stop;
    return sandbox.url;
  };
}

/** Starts a sandbox that runs until it is stopped, for concurrent tests of a file. */
export async function startSandbox(contractClass: ContractClass, environment: Record<string, string>) {
  const sandbox = await sandboxProcess
    .prepare({
      SANDBOX_PORT: '0',
      LOG_LEVEL: 'silent',
      SANDBOX_REWARDS_MEMORY: memories[contractClass],
      SANDBOX_POINTS_MEMORY: memories[contractClass],
      SANDBOX_MESSAGES_MEMORY: memories[contractClass],
      ...environment,
    })
    .start({ meter: noMeter });
  return { url: `${sandbox.url}/${environment['service'] ?? 'rewards'}/v1`, stop: () => stopService(sandbox) };
}
