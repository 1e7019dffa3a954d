import { Agent, get, type IncomingMessage } from 'node:http';

/** An open page of the console, as the API sees it: its stream, and what it asks for from time to time. */
export interface OpenConsole {
  /** Of the session, as a request sends it. */
  cookie: string;
  /** `/v1/live?…` */
  stream: string;
  asks: readonly { path: string; everyMs: number }[];
}

/** What came so far, of all of them. */
export interface Heard {
  /** Events, without lines that only say that the server is there. */
  events: number;
  bytes: number;
  /** Answers to what was asked beside the streams. */
  answers: number;
  /** Streams and answers that were not as they should be, in words. */
  failures: string[];
}

export interface OpenConsoles {
  heard(): Heard;
  close(): void;
}

/** Opens all of them; each has connections of its own, as each browser has. Resolves when every stream has begun. */
export async function openConsoles(url: string, consoles: readonly OpenConsole[]): Promise<OpenConsoles> {
  const heard: Heard = { events: 0, bytes: 0, answers: 0, failures: [] };
  const timers: NodeJS.Timeout[] = [];
  const agents: Agent[] = [];
  const counter = { url, heard, isClosed: false };
  await Promise.all(
    consoles.map(async ({ cookie, stream, asks }, index) => {
      const agent = new Agent({ keepAlive: true });
      agents.push(agent);
      await follow(counter, agent, stream, cookie);
      for (const { path, everyMs } of asks) {
        // People opened them at different moments.
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
    heard: () => heard,
    close: () => {
      counter.isClosed = true;
      for (const timer of timers) clearTimeout(timer);
      for (const agent of agents) agent.destroy();
    },
  };
}

interface Counter {
  url: string;
  heard: Heard;
  isClosed: boolean;
}

function follow(counter: Counter, agent: Agent, path: string, cookie: string): Promise<void> {
  const { heard } = counter;
  return new Promise((resolve) => {
    const headers = { cookie, accept: 'text/event-stream' };
    const request = get(`${counter.url}${path}`, { agent, headers }, (answer) => {
      if (answer.statusCode !== 200) heard.failures.push(`${path}: ${String(answer.statusCode)}`);
      resolve();
      answer.on('data', (chunk: Buffer) => {
        heard.bytes += chunk.length;
        heard.events += eventsIn(chunk);
      });
      answer.on('close', () => {
        if (!counter.isClosed) heard.failures.push(`${path}: the stream ended`);
      });
      answer.on('error', () => undefined);
    });
    request.on('error', (error) => {
      if (!counter.isClosed) heard.failures.push(`${path}: ${error.message}`);
      resolve();
    });
  });
}

const eventMark = Buffer.from('event: ');

/** A mark that is cut by the end of a chunk is not counted, which happens to one in thousands. */
export function eventsIn(chunk: Buffer): number {
  let events = 0;
  for (let at = chunk.indexOf(eventMark); at !== -1; at = chunk.indexOf(eventMark, at + eventMark.length)) events += 1;
  return events;
}

function ask(counter: Counter, agent: Agent, path: string, cookie: string): void {
  const { heard } = counter;
  const done = (answer: IncomingMessage) => {
    if (answer.statusCode !== 200) heard.failures.push(`${path}: ${String(answer.statusCode)}`);
    answer.on('end', () => (heard.answers += 1));
    answer.on('error', () => undefined);
    answer.resume();
  };
  get(`${counter.url}${path}`, { agent, headers: { cookie } }, done).on('error', (error) => {
    if (!counter.isClosed) heard.failures.push(`${path}: ${error.message}`);
  });
}
