import type { OutgoingMessage } from '../../ports/message-bus.ts';

/** Some messages of one `publish` to one topic, few enough for one request. */
export interface Parcel {
  topic: string;
  messages: readonly OutgoingMessage[];
  bytes: number;
  /** Undefined when all of them were acknowledged. */
  settle: (failure: { cause: unknown } | undefined) => void;
}

/** Half of what brokers take by default (1 MiB in one partition), for messages carry headers too. */
const maxRequestBytes = 512 * 1024;

/**
 * Of one topic in one request. Brokers hand over at least what came in one request to one partition, whatever a
 * consumer asks for: with six partitions this makes about 16 KiB of each.
 */
const maxTopicBytes = 96 * 1024;
const maxParcelBytes = maxTopicBytes / 2;

export interface SendQueueDeps {
  send: (messages: readonly OutgoingMessage[]) => Promise<void>;
  onFailed: (parcels: readonly Parcel[], cause: unknown) => void;
  track: (work: Promise<unknown>) => unknown;
}

/** One request at a time, with all that was added while the one before was on its way. */
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
      // Not at once: what else is published in this turn of the event loop goes along.
      track(new Promise((begin) => setImmediate(begin)).then(sendWaiting));
    },
  };
}

/** Cuts messages of one topic into what fits into requests. */
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

/** From the front what fits into one request, at least one parcel; of each topic in the order it came. */
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
      // None of its later parcels shall pass this one.
      bytesOf.set(parcel.topic, Infinity);
    }
  }
  return { taken, left };
}
