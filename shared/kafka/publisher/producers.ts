import type { Producer } from 'kafkajs';
import type { OutgoingMessage } from '../../ports/message-bus.ts';
import type { AnswerWatch } from '../client/answer-watch.ts';
import { sendCovered } from './send-covered.ts';

/** Producers of one publisher: one shared producer, and one for each request that must be sent alone. */
export interface Producers {
  connect(): Promise<void>;
  /** Sends through the shared producer. Throws unless all messages were acknowledged. */
  send(messages: readonly OutgoingMessage[]): Promise<void>;
  /** Sends through a new producer, without state of earlier failures. Throws unless all messages were acknowledged. */
  sendAlone(messages: readonly OutgoingMessage[]): Promise<void>;
  close(): Promise<void>;
}

export interface ProducersDeps {
  create: () => Producer;
  sends: AnswerWatch;
}

export function createProducers({ create, sends }: ProducersDeps): Producers {
  let shared: Promise<Producer> | undefined;

  async function open(): Promise<Producer> {
    const opened = create();
    await opened.connect();
    return opened;
  }

  /** Drops a failed producer: its metadata may be outdated. */
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
