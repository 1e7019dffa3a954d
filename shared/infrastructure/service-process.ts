import { spawn } from 'node:child_process';
import { openSync, closeSync } from 'node:fs';
import { join } from 'node:path';

/** Keeps V8's per-call objects in the young generation; otherwise every second worker needs 20 to 40 % more CPU. */
export const hotPathFlags = ['--max-semi-space-size=64', '--no-allocation-site-pretenuring'];

export const onHotPath: ReadonlySet<string> = new Set(['api', 'trigger', 'worker', 'dispatcher']);

/** Ends the process when the channel to its parent closes, which happens however the parent ends. */
const endWithParent = 'data:text/javascript,process.on("disconnect",()=>process.exit(1));process.channel?.unref()';

/** `all`: api, scheduler, trigger, worker and dispatcher in one process. */
export type ServiceName = 'api' | 'scheduler' | 'trigger' | 'worker' | 'dispatcher' | 'connectors' | 'sandbox' | 'all';

export interface ServiceProcessOptions {
  service: ServiceName;
  /** The whole environment of the process. */
  environment: NodeJS.ProcessEnv;
  logFile: string;
  root?: string;
}

const ownRoot = join(import.meta.dirname, '../..');

/** A Muster service as a process of its own, as in production. It does not outlive this process, however that ends. */
export interface ServiceProcess {
  readonly service: ServiceName;
  readonly pid: number;
  readonly logFile: string;
  readonly running: boolean;
  /** Resolves with the exit code or the signal when the process has ended. */
  readonly exited: Promise<number | NodeJS.Signals>;
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

export function startServiceProcess(options: ServiceProcessOptions): ServiceProcess {
  const { service, environment, logFile, root = ownRoot } = options;
  const log = openSync(logFile, 'a');
  const flags = onHotPath.has(service) ? hotPathFlags : [];
  const program = service === 'all' ? ['cli/muster.ts', 'serve', 'all'] : [`services/${service}/main.ts`];
  const child = spawn(process.execPath, [...flags, '--import', endWithParent, ...program], {
    cwd: root,
    env: environment,
    stdio: ['ignore', log, log, 'ipc'],
    // The service has a session of its own: a Ctrl-C reaches only the parent, which then ends its services in order.
    detached: true,
  });
  closeSync(log);
  const exited = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 0));
  });
  // A process that could not be started has no exit event; `running` is then false, which ends the wait for its port.
  child.on('error', () => undefined);
  return {
    service,
    pid: child.pid ?? 0,
    logFile,
    get running() {
      return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
    },
    exited,
    end: async (signal) => {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      await exited;
    },
  };
}
