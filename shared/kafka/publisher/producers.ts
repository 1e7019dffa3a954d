import type { Producer } from 'kafkajs';
import type { OutgoingMessage } from '../../ports/message-bus.ts';
import type { AnswerWatch } from '../client/answer-watch.ts';
import { sendCovered } from './send-covered.ts';

/** The producers of one publisher: one that all share, and one more for each request that has to go alone. */
export interface Producers {
  connect(): Promise<void>;
  /** By the shared one. Throws where not all was acknowledged. */
  send(messages: readonly OutgoingMessage[]): Promise<void>;
  /** By one of its own, which knows nothing of what failed before. Throws where not all was acknowledged. */
  sendAlone(messages: readonly OutgoingMessage[]): Promise<void>;
  close(): Promise<void>;
}

export interface ProducersDeps {
  create: () => Producer;
  /** Notes when brokers answer requests to produce. */
  sends: AnswerWatch;
}

export function createProducers({ create, sends }: ProducersDeps): Producers {
  let shared: Promise<Producer> | undefined;

  async function open(): Promise<Producer> {
    const opened = create();
    await opened.connect();
    return opened;
  }

  /** A producer that failed is left: it may hold on to metadata that is not true any more. */
  function leave(failed: Promise<Producer>): void {
    if (shared !== failed) return;
    shared = undefined;
    void failed.then((opened) => opened.disconnect()).catch(() => undefined);
  }

  async function withShared(work: (opened: Producer) => Promise<void>): Promise<void> {
    const used = (shared ??= open());
    try {
      await work(await used);
    } catch (error) {
      leave(used);
      throw error;
    }
  }

  async function sendByAnother(messages: readonly OutgoingMessage[]): Promise<void> {
    const alone = await open();
    try {
      await sendCovered(alone, messages);
    } finally {
      await alone.disconnect().catch(() => undefined);
    }
  }

  return {
    connect: () => withShared(() => Promise.resolve()),
    send: (messages) => sends.during(() => withShared((opened) => sendCovered(opened, messages))),
    sendAlone: (messages) => sends.during(() => sendByAnother(messages)),
    close: async () => {
      const opened = shared;
      shared = undefined;
      await (await opened?.catch(() => undefined))?.disconnect();
    },
  };
}
