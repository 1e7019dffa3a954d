import type { Logger } from '../logger.ts';

/**
 * A running service. Stopping has three steps, in this order: accept no new work, finish the begun work, close
 * connections. Each may be called twice.
 */
export interface Service {
  /** Returns false while the service should get no traffic. */
  ready(): boolean;
  stopIntake(): Promise<void>;
  finishWork(): Promise<void>;
  close(): Promise<void>;
  /** Resolves with the cause if the service can no longer work: the process should end and be restarted. */
  readonly broken?: Promise<Error>;
}

export async function stopService(service: Service): Promise<void> {
  await service.stopIntake();
  await service.finishWork();
  await service.close();
}

export interface RunOptions {
  logger: Logger;
  stopDeadlineMs: number;
}

/**
 * Keeps the process alive until SIGTERM or SIGINT, then stops the service in order. A second signal, or the deadline,
 * ends the process at once with exit code 1: other processes take over its work when its leases expire.
 */
export async function runUntilSignal(service: Service, { logger, stopDeadlineMs }: RunOptions): Promise<void> {
  const signal = await Promise.race([nextSignal(), service.broken ?? new Promise<never>(() => undefined)]);
  // The last log line contains the cause too, because operators look there.
  const why = signal instanceof Error ? { err: signal } : { signal };
  if (signal instanceof Error) {
    logger.fatal(why, 'service is broken, ending the process');
    process.exitCode = 1;
  } else {
    logger.info(why, 'stopping');
  }
  const exitNow = (message: string): never => {
    logger.error(why, message);
    process.exit(1);
  };
  void nextSignal().then((second) => exitNow(`stopped by a second ${second}`));
  const deadline = setTimeout(() => exitNow('stop took too long'), stopDeadlineMs);
  deadline.unref();
  await stopService(service);
  clearTimeout(deadline);
  logger.info(why, 'stopped');
}

function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const onSignal = (signal: NodeJS.Signals) => {
      process.off('SIGTERM', onSignal);
      process.off('SIGINT', onSignal);
      resolve(signal);
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}
