/**
 * Process that owns the servers of `startLocalInfrastructure`: `node guardian.ts <folder>`, forked with an IPC channel.
 *
 * The kernel closes the channel when the parent ends, in whatever way. Then the guardian ends every server, removes the
 * folder, and ends too. It starts the servers itself, so that no server ever runs without a process to end it. The
 * guardian and its servers are in sessions of their own: a Ctrl-C in the terminal reaches only the parent, which can
 * finish its work while Kafka and Postgres still answer.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { toGuardian, type FromGuardian, type GuardedCommand } from './guardian-messages.ts';

const endDeadlineMs = 5000;

const folder = process.argv[2];
if (folder === undefined || process.send === undefined) {
  process.stderr.write('guardian.ts is started by shared/infrastructure, not by hand\n');
  process.exit(2);
}

const running = new Map<number, { child: ChildProcess; endSignal: NodeJS.Signals }>();
let ending = false;

process.on('message', (message: unknown) => {
  const order = toGuardian.parse(message);
  if (order.type === 'start') start(order.id, order.command);
  else signalGroup(running.get(order.id)?.child, order.signal);
});
process.on('disconnect', () => void end(folder));
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void end(folder));
process.on('uncaughtException', (error) => {
  process.stderr.write(`${error.stack ?? error.message}\n`);
  void end(folder);
});
// The parent may have ended while this file was being loaded, before the listeners were added.
if (!process.connected) void end(folder);

function start(id: number, { command, args, cwd, env, logFile, endSignal, user }: GuardedCommand): void {
  if (ending) return;
  const log = openSync(logFile, 'a');
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', log, log], ...user });
  closeSync(log);
  running.set(id, { child, endSignal });
  child.on('spawn', () => {
    if (child.pid !== undefined) tell({ type: 'started', id, pid: child.pid });
  });
  child.on('error', (error) => {
    running.delete(id);
    tell({ type: 'failed', id, message: error.message });
  });
  child.on('exit', (code, signal) => {
    running.delete(id);
    tell({ type: 'exited', id, how: signal ?? `exit code ${code ?? 0}`, clean: code === 0 });
  });
}

async function end(folderToRemove: string): Promise<void> {
  if (ending) return;
  ending = true;
  await Promise.allSettled([...running.values()].map(({ child, endSignal }) => endProcess(child, endSignal)));
  await rm(folderToRemove, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  process.exit();
}

async function endProcess(child: ChildProcess, endSignal: NodeJS.Signals): Promise<void> {
  const exited = once(child, 'exit');
  const deadline = setTimeout(() => signalGroup(child, 'SIGKILL'), endDeadlineMs);
  signalGroup(child, endSignal);
  await exited;
  clearTimeout(deadline);
}

/** Signals a child and the processes it has started: the child leads a process group of its own (`detached`). */
function signalGroup(child: ChildProcess | undefined, signal: NodeJS.Signals): void {
  if (child?.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The process has ended in the meantime, and its exit event reports that.
  }
}

function tell(message: FromGuardian): void {
  // Messages to a parent that is gone are dropped: `disconnect` ends the guardian.
  if (process.connected) process.send?.(message, undefined, {}, () => undefined);
}
