import { once } from 'node:events';
import { z } from 'zod';

const targets = z.array(z.object({ webSocketDebuggerUrl: z.string() })).min(1);

/** Environment of a process whose event loop `blockEventLoop` can block. */
export function withInspector(port: number): Record<string, string> {
  return { NODE_OPTIONS: `--inspect=127.0.0.1:${port}` };
}

/**
 * Blocks the event loop of a process for this long, through its inspector, because the service has no switch for this.
 * Resolves when the event loop continues.
 */
export async function blockEventLoop(inspectorPort: number, ms: number): Promise<void> {
  const answer: unknown = await (await fetch(`http://127.0.0.1:${inspectorPort}/json/list`)).json();
  const [target] = targets.parse(answer);
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '');
  await once(socket, 'open');
  const evaluated = once(socket, 'message');
  const expression = `for (const end = performance.now() + ${ms}; performance.now() < end; ) {}`;
  socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } }));
  await evaluated;
  socket.close();
}
