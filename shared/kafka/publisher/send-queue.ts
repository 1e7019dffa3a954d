import type { OutgoingMessage } from '../../ports/message-bus.ts';

/** Messages of one `publish` to one topic, few enough for one request. */
export interface Parcel {
  topic: string;
  messages: readonly OutgoingMessage[];
  bytes: number;
  /** Settles the parcel; with undefined if all messages were acknowledged. */
  settle: (failure: { cause: unknown } | undefined) => void;
}

/** Half of the brokers' default limit (1 MiB per partition), because messages carry headers too. */
const maxRequestBytes = 512 * 1024;

/**
 * Upper bound on the bytes of one topic in one request. Brokers return at least what one request wrote to one
 * partition, whatever limit a consumer sets: with six partitions this is about 16 KiB of each.
 */
const maxTopicBytes = 96 * 1024;
const maxParcelBytes = maxTopicBytes / 2;

export interface SendQueueDeps {
  send: (messages: readonly OutgoingMessage[]) => Promise<void>;
  onFailed: (parcels: readonly Parcel[], cause: unknown) => void;
  track: (work: Promise<unknown>) => unknown;
}

/** Creates a queue that sends one request at a time, with all parcels added while the previous one was in flight. */
export function createSendQueue({ send, onFailed, track }: SendQueueDeps): { add(parcel: Parcel): void } {
  let waiting: Parcel[] = [];
  let sending = false;

  async function sendWaiting(): Promise<void> {
    while (waiting.length > 0) {
      const { taken, left } = takeRequest(waiting);
      waiting = left;
      try {
        await send(taken.flatMap(({ messages }) => messages));
        for (const { settle } of taken) settle(undefined);
      } catch (error) {
        onFailed(taken, error);
      }
    }
    sending = false;
  }

  return {
    add: (parcel) => {
      waiting.push(parcel);
      if (sending) return;
      sending = true;
      // Deferred, so that other messages published in this turn of the event loop are included.
      track(new Promise((begin) => setImmediate(begin)).then(sendWaiting));
    },
  };
}

/** Splits messages of one topic into parcels that fit into requests. */
export function parcelsOf(messages: readonly OutgoingMessage[]): { messages: OutgoingMessage[]; bytes: number }[] {
  const parcels: { messages: OutgoingMessage[]; bytes: number }[] = [];
  for (const message of messages) {
    const bytes = Buffer.byteLength(message.value);
    const last = parcels.at(-1);
    if (last && last.bytes + bytes <= maxParcelBytes) {
      last.messages.push(message);
      last.bytes += bytes;
    } else {
      parcels.push({ messages: [message], bytes });
    }
  }
  return parcels;
}

/** Takes parcels from the front that fit into one request, at least one. Each topic keeps its order. */
function takeRequest(waiting: readonly Parcel[]): { taken: Parcel[]; left: Parcel[] } {
  const bytesOf = new Map<string, number>();
  const taken: Parcel[] = [];
  const left: Parcel[] = [];
  let bytes = 0;
  for (const parcel of waiting) {
    const ofTopic = (bytesOf.get(parcel.topic) ?? 0) + parcel.bytes;
    const fits = ofTopic <= maxTopicBytes && bytes + parcel.bytes <= maxRequestBytes;
    if (fits || taken.length === 0) {
      taken.push(parcel);
      bytes += parcel.bytes;
      bytesOf.set(parcel.topic, ofTopic);
    } else {
      left.push(parcel);
      // No later parcel of this topic may overtake this one.
      bytesOf.set(parcel.topic, Infinity);
    }
  }
  return { taken, left };
}
