import { Agent, get, type IncomingMessage } from 'node:http';

/** An open page of the console, as the API sees it: its stream, and its periodic requests. */
export interface OpenConsole {
  /** Cookie of the session as a request sends it. */
  cookie: string;
  /** `/v1/live?…` */
  stream: string;
  asks: readonly { path: string; everyMs: number }[];
}

/** Events received so far by all streams together. */
export interface Received {
  /** Events, without the comment lines that only keep the connection alive. */
  events: number;
  bytes: number;
  /** Answers to the periodic requests beside the streams. */
  answers: number;
  /** Descriptions of streams and answers that failed. */
  failures: string[];
}

export interface OpenConsoles {
  received(): Received;
  close(): void;
}

/**
 * Opens all consoles. Each one has connections of its own, as each browser has. Resolves when every stream has begun.
 */
export async function openConsoles(url: string, consoles: readonly OpenConsole[]): Promise<OpenConsoles> {
  const received: Received = { events: 0, bytes: 0, answers: 0, failures: [] };
  const timers: NodeJS.Timeout[] = [];
  const agents: Agent[] = [];
  const counter = { url, received, isClosed: false };
  await Promise.all(
    consoles.map(async ({ cookie, stream, asks }, index) => {
      const agent = new Agent({ keepAlive: true });
      agents.push(agent);
      await countEvents(counter, agent, stream, cookie);
      for (const { path, everyMs } of asks) {
        // Spreads the first requests over the interval, as if people had opened the pages at different moments.
        const first = setTimeout(
          () => {
            timers.push(setInterval(() => ask(counter, agent, path, cookie), everyMs));
          },
          (everyMs * index) / consoles.length,
        );
        timers.push(first);
      }
    }),
  );
  return {
    received: () => received,
    close: () => {
      counter.isClosed = true;
      for (const timer of timers) clearTimeout(timer);
      for (const agent of agents) agent.destroy();
    },
  };
}

interface Counter {
  url: string;
  received: Received;
  isClosed: boolean;
}

function countEvents(counter: Counter, agent: Agent, path: string, cookie: string): Promise<void> {
  const { received } = counter;
  return new Promise((resolve) => {
    const headers = { cookie, accept: 'text/event-stream' };
    const request = get(`${counter.url}${path}`, { agent, headers }, (answer) => {
      if (answer.statusCode !== 200) received.failures.push(`${path}: ${String(answer.statusCode)}`);
      resolve();
      answer.on('data', (chunk: Buffer) => {
        received.bytes += chunk.length;
        received.events += eventsIn(chunk);
      });
      answer.on('close', () => {
        if (!counter.isClosed) received.failures.push(`${path}: the stream ended`);
      });
      answer.on('error', () => undefined);
    });
    request.on('error', (error) => {
      if (!counter.isClosed) received.failures.push(`${path}: ${error.message}`);
      resolve();
    });
  });
}

const eventMark = Buffer.from('event: ');

/**
 * Counts the events in a chunk. A mark that is cut by the end of a chunk is not counted, which happens once in
 * thousands of events.
 */
export function eventsIn(chunk: Buffer): number {
  let events = 0;
  for (let at = chunk.indexOf(eventMark); at !== -1; at = chunk.indexOf(eventMark, at + eventMark.length)) events += 1;
  return events;
}

function ask(counter: Counter, agent: Agent, path: string, cookie: string): void {
  const { received } = counter;
  const done = (answer: IncomingMessage) => {
    if (answer.statusCode !== 200) received.failures.push(`${path}: ${String(answer.statusCode)}`);
    answer.on('end', () => (received.answers += 1));
    answer.on('error', () => undefined);
    answer.resume();
  };
  get(`${counter.url}${path}`, { agent, headers: { cookie } }, done).on('error', (error) => {
    if (!counter.isClosed) received.failures.push(`${path}: ${error.message}`);
  });
}
