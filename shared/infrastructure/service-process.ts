import { spawn } from 'node:child_process';
import { openSync, closeSync } from 'node:fs';
import { join } from 'node:path';

/** Ends the process when the channel to its parent closes, which happens however the parent ends. */
const endWithParent = 'data:text/javascript,process.on("disconnect",()=>process.exit(1));process.channel?.unref()';

/** Name of a service; `all` means that one process runs api, scheduler, trigger, worker and dispatcher. */
export type ServiceName = 'api' | 'scheduler' | 'trigger' | 'worker' | 'dispatcher' | 'connectors' | 'sandbox' | 'all';

export interface ServiceProcessOptions {
  service: ServiceName;
  /** The whole environment of the process. */
  environment: NodeJS.ProcessEnv;
  logFile: string;
  root?: string;
  /** Flags of Node, for versions of Muster that do not set them themselves. */
  nodeFlags?: readonly string[];
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
  const { service, environment, logFile, root = ownRoot, nodeFlags = [] } = options;
  const log = openSync(logFile, 'a');
  const program = service === 'all' ? ['cli/muster.ts', 'serve', 'all'] : [`services/${service}/main.ts`];
  const child = spawn(process.execPath, [...nodeFlags, '--import', endWithParent, ...program], {
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
