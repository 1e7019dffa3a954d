import { once } from 'node:events';
import { connect } from 'node:net';

const deadlineMs = 3000;

export async function answersTcp(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port, signal: AbortSignal.timeout(deadlineMs) });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
